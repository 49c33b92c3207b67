// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;

/** Maps message classes to type names. Thread-safe; inspects each class only once. */
public final class MessageTypes {

    private static final String RESERVED = "Bunny";
    private static final String OWN_PACKAGE = "io.safebunny";

    private static final ClassValue<String> NAMES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            BunnyMessage named = type.getDeclaredAnnotation(BunnyMessage.class);
            String name = Names.requireType(named != null ? named.value() : type.getSimpleName(), type.getName());
            requireUnreserved(name, type);
            return name;
        }
    };

    private MessageTypes() {}

    /** @throws ConfigurationException SB-1002 when the class has no usable name */
    public static String nameOf(Class<?> type) {
        return NAMES.get(type);
    }

    private static void requireUnreserved(String name, Class<?> type) {
        if (name.startsWith(RESERVED) && !isOurs(type.getPackageName())) {
            throw new ConfigurationException(
                    "SB-1002",
                    "Reserved message type name [%s] of %s: types that begin with Bunny are SafeBunny's own messages."
                            .formatted(name, type.getName()),
                    "Name the type otherwise with @BunnyMessage(\"OrderPlaced\") on the class.");
        }
    }

    private static boolean isOurs(String name) {
        return name.equals(OWN_PACKAGE) || name.startsWith(OWN_PACKAGE + '.');
    }

    /** Whether messages of this type are the library's own. */
    public static boolean isReserved(String type) {
        return type.startsWith(RESERVED);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.BunnyMessage;

/** Maps message classes to type names. Thread-safe; inspects each class only once. */
public final class MessageTypes {

    private static final ClassValue<String> NAMES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            BunnyMessage named = type.getDeclaredAnnotation(BunnyMessage.class);
            return Names.requireType(named != null ? named.value() : type.getSimpleName(), type.getName());
        }
    };

    private MessageTypes() {}

    /** @throws io.safebunny.failure.ConfigurationException SB-1002 when the class has no usable name */
    public static String nameOf(Class<?> type) {
        return NAMES.get(type);
    }
}

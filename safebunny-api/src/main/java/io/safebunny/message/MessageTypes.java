// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maps message classes to type names. Thread-safe; inspects each class only once. */
public final class MessageTypes {

    private static final String RESERVED = "Bunny";
    private static final String OWN_PACKAGE = "io.safebunny";

    /** Packages of Java and of other JVM languages, whose lists and maps say nothing about the content. */
    private static final List<String> LANGUAGES =
            List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "scala.", "groovy.");

    private static final ClassValue<String> NAMES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            requireNameable(type);
            BunnyMessage named = type.getDeclaredAnnotation(BunnyMessage.class);
            String name = Names.requireType(
                    named != null && !named.value().isEmpty() ? named.value() : type.getSimpleName(), type.getName());
            requireUnreserved(name, type);
            return name;
        }
    };

    private MessageTypes() {}

    /** @throws ConfigurationException SB-1002 if the class has no usable name; SB-1111 if a class of its kind cannot be a message */
    public static String nameOf(Class<?> type) {
        return NAMES.get(type);
    }

    private static void requireNameable(Class<?> type) {
        String flaw = flaw(type);
        if (flaw != null) {
            throw new ConfigurationException(
                    "SB-1111",
                    "The class cannot be a message [class=%s]: %s.".formatted(type.getTypeName(), flaw),
                    "Use a record of your own that holds the value, for example: public record PricesChanged(List<Price> prices) {}.");
        }
    }

    private static @Nullable String flaw(Class<?> type) {
        if (type.isArray()) {
            return "an array has no name that receivers could know";
        }
        if (type.isHidden() || type.isSynthetic() || Proxy.isProxyClass(type)) {
            return "a lambda expression or another class made at run time has another name in each process";
        }
        if (type.isAnonymousClass() || (type.isLocalClass() && !Modifier.isStatic(type.getModifiers()))) {
            return "an anonymous class, or one declared within a method, cannot be read from a body";
        }
        return LANGUAGES.stream().anyMatch(type.getName()::startsWith)
                ? "the name of a class of the language says nothing about the content, and changes with it (List12, ListN)"
                : null;
    }

    private static void requireUnreserved(String name, Class<?> type) {
        if (name.startsWith(RESERVED) && !isOurs(type.getPackageName())) {
            throw new ConfigurationException(
                    "SB-1002",
                    "Reserved message type name [%s] of %s: types that begin with Bunny are SafeBunny's own messages."
                            .formatted(name, type.getName()),
                    "Use another name: @BunnyMessage(\"OrderPlaced\") on the class.");
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

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.Encrypted;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import java.beans.PropertyDescriptor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;

/** The property of a class that says whom its content is about. Immutable. */
final class SubjectProperty {

    private static final String CODE = "SB-1318";

    private static final Set<Class<?>> TYPES = Set.of(
            String.class,
            UUID.class,
            int.class,
            Integer.class,
            long.class,
            Long.class,
            short.class,
            Short.class,
            BigInteger.class);

    private final Class<?> owner;
    private final String name;
    private final Method getter;

    private SubjectProperty(Class<?> owner, String name, Method getter) {
        this.owner = owner;
        this.name = name;
        this.getter = getter;
    }

    /**
     * @param name from {@link Encrypted#subject}
     * @return {@code null} if it names nothing
     * @throws ConfigurationException SB-1318 if the class has no such property, or it cannot name a person
     */
    static @Nullable SubjectProperty of(Class<?> type, String name) {
        if (name.isEmpty()) {
            return null;
        }
        Method getter = getter(type, name);
        if (getter == null) {
            throw refused(
                    "there is no property or record component of this name",
                    type,
                    name,
                    "Name one in @Encrypted(subject = …), such as the id of the customer; for a saga, mark the class of its state.");
        }
        if (!TYPES.contains(getter.getReturnType())) {
            throw refused(
                    "it is a " + getter.getReturnType().getName(),
                    type,
                    name,
                    "Name a property that is a String, a UUID, or a whole number.");
        }
        try {
            getter.setAccessible(true); // the class itself need not be public
        } catch (InaccessibleObjectException e) {
            throw refused("its module does not open it", type, name, "Open the package of the class to io.safebunny.");
        }
        return new SubjectProperty(type, name, getter);
    }

    private static ConfigurationException refused(String why, Class<?> type, String name, String action) {
        return new ConfigurationException(
                CODE,
                "Nothing says whom messages of a class are about [class=%s, subject=%s]: %s."
                        .formatted(type.getName(), name, why),
                action);
    }

    private static @Nullable Method getter(Class<?> type, String name) {
        if (type.isRecord()) {
            return Arrays.stream(type.getRecordComponents())
                    .filter(component -> component.getName().equals(name))
                    .map(RecordComponent::getAccessor)
                    .findFirst()
                    .orElse(null);
        }
        PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, name);
        if (property != null && property.getReadMethod() != null) {
            return property.getReadMethod();
        }
        return Arrays.stream(type.getMethods()) // such as of an interface that records implement
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == 0)
                .findFirst()
                .orElse(null);
    }

    /**
     * Whom this payload is about.
     *
     * @throws InvalidPublicationException if the property has no value, or none that can name a person
     */
    String of(Object payload) {
        Object value;
        try {
            value = getter.invoke(payload);
        } catch (InvocationTargetException e) {
            throw missing("it throws " + e.getTargetException().getClass().getName(), e.getTargetException());
        } catch (IllegalAccessException | IllegalArgumentException e) {
            throw missing("it cannot be read", e);
        }
        if (value == null) {
            throw missing("it is null", null);
        }
        String fault = fault(value.toString());
        if (fault != null) {
            throw missing("it " + fault, null);
        }
        return value.toString();
    }

    /** Why this cannot name a person, after "it"; {@code null} if it can. */
    static @Nullable String fault(String subject) {
        if (subject.isBlank()) {
            return "is blank";
        }
        return subject.length() > Encrypted.LONGEST_SUBJECT
                ? "has more than %s characters".formatted(Encrypted.LONGEST_SUBJECT)
                : null;
    }

    private InvalidPublicationException missing(String why, @Nullable Throwable cause) {
        return new InvalidPublicationException(
                "Nothing says whom the content is about [class=%s, subject=%s]: %s. Give it a value, or nobody could erase that person."
                        .formatted(owner.getName(), name, why),
                cause);
    }
}

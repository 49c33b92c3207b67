// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import java.beans.PropertyDescriptor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;

/** Where the messages of a class have their order key, as {@link BunnyMessage#orderBy} says. Immutable; inspects each class only once. */
final class OrderBy {

    private static final OrderBy NOTHING = new OrderBy("", null);

    private static final ClassValue<OrderBy> KNOWN = new ClassValue<>() {
        @Override
        protected OrderBy computeValue(Class<?> type) {
            BunnyMessage message = type.getDeclaredAnnotation(BunnyMessage.class);
            return message == null || message.orderBy().isBlank() ? NOTHING : read(type, message.orderBy());
        }
    };

    private final String name;
    private final @Nullable Method getter;

    private OrderBy(String name, @Nullable Method getter) {
        this.name = name;
        this.getter = getter;
    }

    /**
     * The key of a message; {@code null} if its class names no property.
     *
     * @throws ConfigurationException SB-1121 if the class has no such property
     * @throws InvalidPublicationException if the property has no value, or cannot be read
     */
    static @Nullable String keyOf(Object payload) {
        OrderBy of = KNOWN.get(payload.getClass());
        return of.getter == null ? null : of.value(of.getter, payload);
    }

    private String value(Method property, Object payload) {
        Object value;
        try {
            value = property.invoke(payload);
        } catch (InvocationTargetException e) {
            throw unread(
                    payload, "it throws " + e.getTargetException().getClass().getName(), e.getTargetException());
        } catch (IllegalAccessException e) {
            throw unread(payload, "it is not accessible", e);
        }
        if (value == null) {
            throw unread(payload, "it is null", null);
        }
        return value instanceof Enum<?> constant ? constant.name() : value.toString();
    }

    private InvalidPublicationException unread(Object payload, String why, @Nullable Throwable cause) {
        return new InvalidPublicationException(
                "Missing order key [class=%s, orderBy=%s]: %s. Give it a value, or publish with PublishOptions.withOrderKey."
                        .formatted(payload.getClass().getName(), name, why),
                cause);
    }

    private static OrderBy read(Class<?> type, String name) {
        Method getter = getter(type, name);
        if (getter == null) {
            throw new ConfigurationException(
                    "SB-1121",
                    "Messages cannot be ordered by what they do not have [class=%s, orderBy=%s]: there is no property or record component of this name."
                            .formatted(type.getName(), name),
                    "Name one in @BunnyMessage(orderBy = …), such as the id of what must not change out of order.");
        }
        try {
            getter.setAccessible(true); // the class itself need not be public
        } catch (InaccessibleObjectException e) {
            throw new ConfigurationException(
                    "SB-1121",
                    "The property by which messages are ordered cannot be read [class=%s, orderBy=%s]: its module does not open it."
                            .formatted(type.getName(), name),
                    "Open the package of the class to spring.core and io.safebunny, or publish with PublishOptions.withOrderKey.",
                    e);
        }
        return new OrderBy(name, getter);
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
        return property == null ? null : property.getReadMethod();
    }
}

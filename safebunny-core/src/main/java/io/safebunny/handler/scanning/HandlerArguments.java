// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.PayloadValidator;
import io.safebunny.handler.Validity;
import io.safebunny.message.MessageTypes;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.ValueConstants;

/** The arguments of a handler: its payload, and from the message around it the context, one header, or all headers. For use at start-up. */
final class HandlerArguments {

    private static final String VALID = "jakarta.validation.Valid";
    private static final ConversionService CONVERSION = DefaultConversionService.getSharedInstance();

    private final @Nullable PayloadValidator validator;

    /** @param validator if {@code null}, a {@code @Valid} payload is refused */
    HandlerArguments(@Nullable PayloadValidator validator) {
        this.validator = validator;
    }

    /** A function that validates the payload before each call, if the parameter is {@code @Valid}, and returns it unchanged. */
    UnaryOperator<Object> payload(String where, Parameter parameter) {
        return isValidated(parameter) ? validated(where) : payload -> payload;
    }

    /** Whether it is {@code @Valid}, or a list of what is. */
    private static boolean isValidated(Parameter parameter) {
        return hasValid(parameter)
                || (parameter.getAnnotatedType() instanceof AnnotatedParameterizedType list
                        && parameter.getType() == List.class
                        && hasValid(list.getAnnotatedActualTypeArguments()[0]));
    }

    /** Compares names, because Bean Validation is optional. */
    private static boolean hasValid(AnnotatedElement element) {
        return Arrays.stream(element.getAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().equals(VALID));
    }

    static boolean isHeader(Parameter parameter) {
        return AnnotatedElementUtils.hasAnnotation(parameter, Headers.class)
                || AnnotatedElementUtils.hasAnnotation(parameter, Header.class);
    }

    private UnaryOperator<Object> validated(String where) {
        PayloadValidator checks = validator;
        if (checks == null) {
            throw new ConfigurationException(
                    "SB-1106",
                    "A payload cannot be validated [handler=%s]: it is @Valid, but there is no jakarta.validation.Validator bean."
                            .formatted(where),
                    "Add the dependency org.springframework.boot:spring-boot-starter-validation, or remove @Valid.");
        }
        return payload -> {
            checks.validate(where, payload);
            return payload;
        };
    }

    /** @param fix how to declare the handler */
    static String typeName(String where, Type payload, String fix) {
        Class<?> raw = ResolvableType.forType(payload).resolve();
        if (raw != null && Collection.class.isAssignableFrom(raw)) {
            throw new ConfigurationException(
                    "SB-1101",
                    "A payload must be a message class, not a list [handler=%s, parameter=%s]: only a @BunnyHandler outside sagas takes batches, as a list of one type."
                            .formatted(where, payload.getTypeName()),
                    fix);
        }
        if (raw == null || raw == Object.class || raw.isPrimitive() || raw.isArray() || raw.isAnnotation()) {
            throw new ConfigurationException(
                    "SB-1101",
                    "A payload must be a message class [handler=%s, parameter=%s]."
                            .formatted(where, payload.getTypeName()),
                    fix);
        }
        try {
            Validity unused = Validity.of(raw);
            return MessageTypes.nameOf(raw);
        } catch (ConfigurationException e) {
            throw new ConfigurationException(
                    e.code(), "%s It is the payload of [handler=%s].".formatted(e.problem(), where), e.action(), e);
        }
    }

    /** Reads the argument from the context; {@code null} if the parameter is something else. */
    static @Nullable Function<MessageContext, @Nullable Object> context(String where, Parameter parameter) {
        if (parameter.getType() == MessageContext.class) {
            return context -> context;
        }
        if (AnnotatedElementUtils.hasAnnotation(parameter, Headers.class)) {
            if (!parameter.getType().isAssignableFrom(Map.class)) {
                throw new ConfigurationException(
                        "SB-1101",
                        "A parameter with @Headers must be a Map<String, Object> [handler=%s, parameter=%s]."
                                .formatted(where, parameter),
                        "Declare the parameter as @Headers Map<String, Object> headers.");
            }
            return MessageContext::headers;
        }
        Header header = AnnotatedElementUtils.findMergedAnnotation(parameter, Header.class);
        return header == null ? null : header(where, parameter, header);
    }

    private static Function<MessageContext, @Nullable Object> header(String where, Parameter parameter, Header header) {
        String name = header.name().isEmpty() ? parameter.getName() : header.name();
        if (header.name().isEmpty() && !parameter.isNamePresent()) {
            throw new ConfigurationException(
                    "SB-1101",
                    "@Header must have a name [handler=%s, parameter=%s].".formatted(where, parameter),
                    "Write @Header(\"name\"), or compile with -parameters.");
        }
        Class<?> target = parameter.getType();
        boolean hasDefault = !ValueConstants.DEFAULT_NONE.equals(header.defaultValue());
        if (!header.required() && !hasDefault && target.isPrimitive()) {
            throw new ConfigurationException(
                    "SB-1101",
                    "An optional header must not be a primitive [handler=%s, header=%s].".formatted(where, name),
                    "Use its object type, or give a defaultValue.");
        }
        return context -> {
            Object value = context.headers().get(name);
            if (value == null) {
                if (hasDefault) {
                    value = header.defaultValue();
                } else if (header.required()) {
                    throw new PoisonMessageException(
                            "Missing header [%s]: handler %s requires it. Publish the message with it, or set required = false."
                                    .formatted(name, where));
                } else {
                    return null;
                }
            }
            return convert(where, name, value, target);
        };
    }

    private static Object convert(String where, String name, Object value, Class<?> target) {
        if (target.isInstance(value)) {
            return value;
        }
        try {
            Object converted = CONVERSION.convert(value, target);
            if (converted != null) {
                return converted;
            }
        } catch (ConversionException e) {
            // reported below, without the value
        }
        throw new PoisonMessageException(
                "Header of another type [%s, found %s]: for handler %s it must be %s. Correct the publisher or the parameter."
                        .formatted(name, value.getClass().getSimpleName(), where, target.getSimpleName()));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.PayloadValidator;
import io.safebunny.message.MessageTypes;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** The payload parameter of a handler. */
final class PayloadArguments {

    private static final String VALID = "jakarta.validation.Valid";

    private final @Nullable PayloadValidator validator;

    /** @param validator if {@code null}, a {@code @Valid} payload is refused */
    PayloadArguments(@Nullable PayloadValidator validator) {
        this.validator = validator;
    }

    /** A function that validates the payload before each call, if the parameter is {@code @Valid}, and returns it unchanged. */
    UnaryOperator<Object> read(String where, Parameter parameter) {
        return isValidated(parameter) ? validated(where) : payload -> payload;
    }

    /** Compares names, because Bean Validation is optional. */
    private static boolean isValidated(Parameter parameter) {
        return Arrays.stream(parameter.getAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().equals(VALID));
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
        if (raw == null || raw == Object.class || raw.isPrimitive() || raw.isArray() || raw.isAnnotation()) {
            throw new ConfigurationException(
                    "SB-1101",
                    "A payload must be a message class [handler=%s, parameter=%s]."
                            .formatted(where, payload.getTypeName()),
                    fix);
        }
        try {
            return MessageTypes.nameOf(raw);
        } catch (ConfigurationException e) {
            throw new ConfigurationException(
                    e.code(), "%s It is the payload of [handler=%s].".formatted(e.problem(), where), e.action(), e);
        }
    }
}

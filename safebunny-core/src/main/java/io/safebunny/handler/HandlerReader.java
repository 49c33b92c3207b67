// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.MethodInvoker.Argument;
import io.safebunny.message.MessageTypes;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;

/** Reads one annotated method into a definition. For use at start-up; not thread-safe. For use at start-up; not thread-safe. */
final class HandlerReader {

    static final String FIX =
            "Declare it as: void on(OrderPlaced payload, MessageContext context), with optional @Header(\"name\") and @Headers Map<String, Object> parameters.";

    private static final String VALID = "jakarta.validation.Valid";

    private final HandlerAttributes attributes;
    private final ContextArguments contextual = new ContextArguments();
    private final @Nullable PayloadValidator validator;

    HandlerReader(HandlerAttributes attributes, @Nullable PayloadValidator validator) {
        this.attributes = attributes;
        this.validator = validator;
    }

    /**
     * A method of a bean.
     *
     * @param beanClass the bean's own class rather than its proxy's, because it resolves type variables
     * @param exposedClass the class of the object that callers get, perhaps a proxy
     */
    record Found(String beanName, Class<?> beanClass, Class<?> exposedClass, Supplier<Object> bean, Method method) {

        String where() {
            return "%s.%s".formatted(beanName, signature(method));
        }
    }

    HandlerDefinition read(Found found, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        String where = found.where();
        Method method = found.method();
        if (method.getReturnType() != void.class) {
            throw new ConfigurationException(
                    "SB-1103",
                    "A handler must return void [handler=%s, returns=%s]: the message is acknowledged when the method returns, so a result would be lost."
                            .formatted(where, method.getReturnType().getSimpleName()),
                    "Publish results with Bunny.publish, and wait for asynchronous work before returning.");
        }
        Type payload = null;
        Parameter[] parameters = method.getParameters();
        Argument[] arguments = new Argument[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            Argument argument = contextual.read(where, parameters[i]);
            if (argument == null) {
                if (payload != null) {
                    throw new ConfigurationException(
                            "SB-1101",
                            "A handler takes one payload [handler=%s]: parameters %s and %s both look like one."
                                    .formatted(
                                            where,
                                            payload.getTypeName(),
                                            parameters[i].getType().getName()),
                            FIX);
                }
                payload = payloadType(found, i);
                argument = isValidated(parameters[i]) ? validated(where) : (body, context) -> body;
            }
            arguments[i] = argument;
        }
        if (payload == null) {
            throw new ConfigurationException(
                    "SB-1101", "A handler needs a payload [handler=%s].".formatted(where), FIX);
        }
        return new HandlerDefinition(
                where,
                typeName(where, payload),
                payload,
                attributes.from(where, ofMethod, ofClass),
                attributes.prefetch(where, ofMethod, ofClass),
                attributes.recovery(where, ofMethod, ofClass),
                new MethodInvoker(found.bean(), invocable(found), arguments));
    }

    /** Compares names, because Bean Validation is optional. */
    private static boolean isValidated(Parameter parameter) {
        return Arrays.stream(parameter.getAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().equals(VALID));
    }

    private Argument validated(String where) {
        PayloadValidator checks = validator;
        if (checks == null) {
            throw new ConfigurationException(
                    "SB-1106",
                    "A payload cannot be validated [handler=%s]: it is @Valid, but there is no jakarta.validation.Validator bean."
                            .formatted(where),
                    "Add the dependency org.springframework.boot:spring-boot-starter-validation, or remove @Valid.");
        }
        return (body, context) -> {
            checks.validate(where, body);
            return body;
        };
    }

    private static Method invocable(Found found) {
        if (Modifier.isStatic(found.method().getModifiers())) {
            throw new ConfigurationException(
                    "SB-1104",
                    "A handler cannot be static [handler=%s]: it is called on its bean.".formatted(found.where()),
                    "Remove `static`.");
        }
        try {
            return AopUtils.selectInvocableMethod(found.method(), found.exposedClass());
        } catch (IllegalStateException e) {
            throw new ConfigurationException(
                    "SB-1104",
                    "A handler cannot be called through the proxy of its bean [handler=%s, proxy=%s]."
                            .formatted(found.where(), found.exposedClass().getName()),
                    "Make the method non-private, and proxy the class (proxyTargetClass = true) rather than its interfaces.",
                    e);
        }
    }

    private static Type payloadType(Found found, int index) {
        Type declared = found.method().getGenericParameterTypes()[index];
        return GenericTypeResolver.resolveType(declared, found.beanClass());
    }

    private static String typeName(String where, Type payload) {
        Class<?> raw = ResolvableType.forType(payload).resolve();
        if (raw == null || raw == Object.class || raw.isPrimitive() || raw.isArray() || raw.isAnnotation()) {
            throw new ConfigurationException(
                    "SB-1101",
                    "A payload must be a message class [handler=%s, parameter=%s]."
                            .formatted(where, payload.getTypeName()),
                    FIX);
        }
        try {
            return MessageTypes.nameOf(raw);
        } catch (ConfigurationException e) {
            throw new ConfigurationException(
                    e.code(), "%s It is the payload of [handler=%s].".formatted(e.problem(), where), e.action(), e);
        }
    }

    private static String signature(Method method) {
        StringBuilder text = new StringBuilder(method.getName()).append('(');
        for (Class<?> type : method.getParameterTypes()) {
            text.append(text.charAt(text.length() - 1) == '(' ? "" : ", ").append(type.getSimpleName());
        }
        return text.append(')').toString();
    }
}

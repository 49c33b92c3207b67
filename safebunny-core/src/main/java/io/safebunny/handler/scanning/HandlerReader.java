// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaContext;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Turns an annotated method into a definition. For use at start-up; not thread-safe. */
final class HandlerReader {

    private static final String FIX =
            "Declare it as: void on(OrderPlaced payload, MessageContext context), with optional @Header(\"name\") and @Headers Map<String, Object> parameters.";

    private final HandlerAttributes attributes;
    private final HandlerArguments handlerArguments;

    HandlerReader(HandlerAttributes attributes, HandlerArguments handlerArguments) {
        this.attributes = attributes;
        this.handlerArguments = handlerArguments;
    }

    /** Provides one argument of a call. */
    @FunctionalInterface
    private interface Argument {
        @Nullable
        Object resolve(Object payload, MessageContext context);
    }

    HandlerDefinition read(BeanMethod found, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
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
            Function<MessageContext, @Nullable Object> contextArgument = HandlerArguments.context(where, parameters[i]);
            if (contextArgument != null) {
                arguments[i] = (body, context) -> contextArgument.apply(context);
                continue;
            }
            refuseWhatSagasTake(where, parameters[i]);
            if (payload != null) {
                throw new ConfigurationException(
                        "SB-1101",
                        "A handler must have only one payload [handler=%s]: parameters %s and %s both look like one."
                                .formatted(
                                        where,
                                        payload.getTypeName(),
                                        parameters[i].getType().getName()),
                        FIX);
            }
            payload = found.parameterType(i);
            UnaryOperator<Object> payloadArgument = handlerArguments.payload(where, parameters[i]);
            arguments[i] = (body, context) -> payloadArgument.apply(body);
        }
        if (payload == null) {
            throw new ConfigurationException(
                    "SB-1101", "A handler must have a payload [handler=%s].".formatted(where), FIX);
        }
        return new HandlerDefinition(
                where,
                HandlerArguments.typeName(where, payload, FIX),
                payload,
                attributes.from(where, ofMethod, ofClass),
                attributes.prefetch(where, ofMethod, ofClass),
                attributes.messagesPerTransaction(where, ofMethod, ofClass),
                attributes.recovery(where, ofMethod, ofClass),
                invoker(found.invoker(), arguments));
    }

    private static void refuseWhatSagasTake(String where, Parameter parameter) {
        if (parameter.getType() == SagaContext.class || parameter.getType() == BlockedOn.class) {
            throw new ConfigurationException(
                    "SB-1101",
                    "Only methods of sagas can take a %s [handler=%s]: the class must be annotated with @BunnySaga."
                            .formatted(parameter.getType().getSimpleName(), where),
                    "Add @BunnySaga to the class if its messages belong to a saga with state. Otherwise remove the parameter: publish with Bunny, and use a MessageContext for details of the message.");
        }
    }

    private static HandlerInvoker invoker(MethodInvoker method, Argument[] arguments) {
        return (payload, context) -> {
            @Nullable Object[] values = new Object[arguments.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = arguments[i].resolve(payload, context);
            }
            Object unused = method.invoke(values);
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.Ordering;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaContext;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Turns an annotated method into a definition. For use at start-up; not thread-safe. */
final class HandlerReader {

    private static final String FIX =
            "Declare it as: void on(OrderPlaced payload, MessageContext context), with optional @Header(\"name\") and @Headers Map<String, Object> parameters.";

    private static final String BATCH_FIX =
            "Declare it as: void on(List<OrderPlaced> payloads, List<MessageContext> contexts), where the contexts are optional and have the headers.";

    private final HandlerAttributes attributes;
    private final OrderAttributes order;
    private final HandlerArguments handlerArguments;

    HandlerReader(HandlerAttributes attributes, HandlerArguments handlerArguments) {
        this.attributes = attributes;
        this.order = new OrderAttributes(attributes);
        this.handlerArguments = handlerArguments;
    }

    /** Provides one argument of a call. */
    @FunctionalInterface
    private interface Argument {
        @Nullable
        Object resolve(Object payload, MessageContext context);
    }

    /** Provides one argument of a call for a batch. */
    @FunctionalInterface
    private interface BatchArgument {
        Object resolve(List<Object> payloads, List<? extends MessageContext> contexts);
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
        if (takesList(found)) {
            return readBatch(found, ofMethod, ofClass);
        }
        Single single = readSingle(found);
        String type = HandlerArguments.typeName(where, single.payload(), FIX);
        Ordering ordering = order.ordering(where, ofMethod, ofClass, single.payload());
        int shared = attributes.messagesPerTransaction(where, type, ofMethod, ofClass);
        return new HandlerDefinition(
                        where,
                        type,
                        single.payload(),
                        attributes.from(where, ofMethod, ofClass),
                        attributes.prefetch(where, ofMethod, ofClass),
                        ordering.isOrdered() ? Grouping.NONE : Grouping.inTransaction(shared),
                        attributes.recovery(where, ofMethod, ofClass),
                        single.invoker())
                .limited(attributes.rate(where, type, ofMethod, ofClass))
                .ordered(ordering)
                .sharded(order.sharding(where, ofMethod, ofClass, ordering));
    }

    /** A method that takes one message. */
    private record Single(Type payload, HandlerInvoker invoker) {}

    private Single readSingle(BeanMethod found) {
        String where = found.where();
        Type payload = null;
        UnaryOperator<Object> checked = UnaryOperator.identity();
        Parameter[] parameters = found.method().getParameters();
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
            checked = payloadArgument;
        }
        if (payload == null) {
            throw new ConfigurationException(
                    "SB-1101", "A handler must have a payload [handler=%s].".formatted(where), FIX);
        }
        return new Single(payload, new SingleInvoker(found.invoker(), arguments, checked));
    }

    /** A method for expired messages. */
    record Expired(String where, HandlerInvoker invoker) {}

    /** @return by the type of their payloads, to be changed by the caller */
    Map<Type, Expired> expired(List<BeanMethod> methods) {
        Map<Type, Expired> byPayload = new LinkedHashMap<>();
        for (BeanMethod found : methods) {
            if (found.has(BunnyHandler.class)) {
                throw refusedExpired(
                        "A method is either a handler or for expired messages [method=%s].".formatted(found.where()));
            }
            if (found.method().getReturnType() != void.class || takesList(found)) {
                throw refusedExpired("A method with @OnExpired takes one message and returns void [method=%s]."
                        .formatted(found.where()));
            }
            Single single = readSingle(found);
            Expired other = byPayload.putIfAbsent(single.payload(), new Expired(found.where(), single.invoker()));
            if (other != null) {
                throw refusedExpired("Two methods for expired messages of one type [type=%s]: %s and %s."
                        .formatted(single.payload().getTypeName(), other.where(), found.where()));
            }
        }
        return byPayload;
    }

    /** @throws ConfigurationException SB-1119 if there is no handler beside one of the methods */
    static void requireNoneLeft(Collection<Expired> methods) {
        methods.stream().findFirst().ifPresent(lonely -> {
            throw refusedExpired(
                    "There is no handler for what a method with @OnExpired takes [method=%s]: it would never run."
                            .formatted(lonely.where()));
        });
    }

    private static ConfigurationException refusedExpired(String problem) {
        return new ConfigurationException(
                "SB-1119",
                problem,
                "Declare it in the class of the handler, with the handler's payload: @OnExpired void expired(Quote payload, MessageContext context).");
    }

    private static boolean takesList(BeanMethod found) {
        for (Parameter parameter : found.method().getParameters()) {
            if (parameter.getType() == List.class && !HandlerArguments.isHeader(parameter)) {
                return true;
            }
        }
        return false;
    }

    private HandlerDefinition readBatch(BeanMethod found, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        String where = found.where();
        Type payload = null;
        UnaryOperator<Object> checked = UnaryOperator.identity();
        Parameter[] parameters = found.method().getParameters();
        BatchArgument[] arguments = new BatchArgument[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            Type element = elementType(where, parameters[i], found.parameterType(i));
            if (element == MessageContext.class) {
                arguments[i] = (payloads, contexts) -> contexts;
                continue;
            }
            if (payload != null) {
                throw new ConfigurationException(
                        "SB-1101",
                        "A batch handler must have only one list of payloads [handler=%s]: lists of %s and %s both look like one."
                                .formatted(where, payload.getTypeName(), element.getTypeName()),
                        BATCH_FIX);
            }
            payload = element;
            UnaryOperator<Object> one = handlerArguments.payload(where, parameters[i]);
            arguments[i] = (payloads, contexts) -> payloads.stream().map(one).toList();
            checked = one;
        }
        if (payload == null) {
            throw new ConfigurationException(
                    "SB-1101",
                    "A batch handler must have a list of payloads [handler=%s].".formatted(where),
                    BATCH_FIX);
        }
        String type = HandlerArguments.typeName(where, payload, BATCH_FIX);
        attributes.refuseRate(where, type, ofMethod, ofClass);
        order.refuseOrder(where, ofMethod, ofClass, "a batch, whose messages are handled together");
        int most = attributes.batchSize(where, ofMethod, ofClass);
        return new HandlerDefinition(
                where,
                type,
                payload,
                attributes.from(where, ofMethod, ofClass),
                attributes.prefetch(where, ofMethod, ofClass, most),
                Grouping.inBatch(most),
                attributes.recovery(where, ofMethod, ofClass),
                new BatchInvoker(found.invoker(), arguments, checked));
    }

    /** Of a parameter of a batch handler, all of which are lists. */
    private static Type elementType(String where, Parameter parameter, Type type) {
        if (parameter.getType() != List.class || HandlerArguments.isHeader(parameter)) {
            throw new ConfigurationException(
                    "SB-1101",
                    "A handler of List<…> takes batches, and must take only lists [handler=%s, parameter=%s]."
                            .formatted(where, parameter),
                    BATCH_FIX);
        }
        ResolvableType element = ResolvableType.forType(type).getGeneric(0);
        Type bound =
                element.getType() instanceof WildcardType wildcard ? wildcard.getUpperBounds()[0] : element.getType();
        Class<?> raw = element.resolve();
        if (raw == null || raw == Object.class) {
            throw new ConfigurationException(
                    "SB-1101",
                    "A batch handler must say which messages are in its list [handler=%s, parameter=%s]."
                            .formatted(where, type.getTypeName()),
                    BATCH_FIX);
        }
        return bound;
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

    /** A message that is handled alone is a batch of one. */
    private record BatchInvoker(MethodInvoker method, BatchArgument[] arguments, UnaryOperator<Object> checked)
            implements HandlerInvoker {

        @Override
        public void invoke(Object payload, MessageContext context) throws Exception {
            invokeBatch(List.of(payload), List.of(context));
        }

        @Override
        public void invokeBatch(List<Object> payloads, List<? extends MessageContext> contexts) throws Exception {
            @Nullable Object[] values = new Object[arguments.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = arguments[i].resolve(payloads, contexts);
            }
            Object unused = method.invoke(values);
        }

        @Override
        public void check(Object payload) {
            Object unused = checked.apply(payload);
        }
    }

    private record SingleInvoker(MethodInvoker method, Argument[] arguments, UnaryOperator<Object> checked)
            implements HandlerInvoker {

        @Override
        public void invoke(Object payload, MessageContext context) throws Exception {
            @Nullable Object[] values = new Object[arguments.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = arguments[i].resolve(payload, context);
            }
            Object unused = method.invoke(values);
        }

        @Override
        public void check(Object payload) {
            Object unused = checked.apply(payload);
        }
    }
}

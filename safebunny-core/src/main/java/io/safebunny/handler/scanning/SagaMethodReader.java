// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaMethod;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaContext;
import io.safebunny.serialization.json.StateFormat;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the parameters and result of a saga's method. For use at start-up. */
final class SagaMethodReader {

    static final String FIX =
            "Declare it as: State on(OrderPlaced payload, State state, SagaContext saga), or void, with optional MessageContext, @Header(\"name\") and @Headers Map<String, Object> parameters.";

    private final HandlerArguments handlerArguments;

    SagaMethodReader(HandlerArguments handlerArguments) {
        this.handlerArguments = handlerArguments;
    }

    /** Role of a method. */
    enum Role {
        HANDLER("BunnyHandler"),
        TIMEOUT("OnTimeout"),
        POISONED("OnPoisoned"),
        EXPIRED("OnExpired"),
        SHREDDED("OnShredded");

        private final String annotation;

        Role(String annotation) {
            this.annotation = annotation;
        }
    }

    /** Those that are told what a saga is blocked on. */
    private static final Set<Role> TOLD = Set.of(Role.POISONED, Role.EXPIRED, Role.SHREDDED);

    /**
     * A method ready to be called.
     *
     * @param payload {@code null} unless it is a handler
     */
    record Signature(@Nullable Type payload, boolean takesState, SagaMethod method) {}

    /** All possible arguments of a method. */
    private record SagaCall(
            @Nullable Object payload,
            MessageContext message,
            @Nullable Object state,
            SagaContext saga,
            @Nullable BlockedOn blockedOn) {}

    /** Provides one argument of a call. */
    @FunctionalInterface
    private interface SagaArgument {
        @Nullable
        Object resolve(SagaCall call);
    }

    Signature read(BeanMethod found, Role role, Type state) {
        String where = found.where();
        boolean returnsState = returnsState(found, state);
        boolean takesState = false;
        Type payload = null;
        UnaryOperator<Object> checked = UnaryOperator.identity();
        Parameter[] parameters = found.method().getParameters();
        SagaArgument[] arguments = new SagaArgument[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            Type type = found.parameterType(i);
            SagaArgument argument = withoutState(where, parameters[i], role);
            if (argument == null && SagaState.isSame(type, state)) {
                if (takesState) {
                    throw SagaReader.refused(
                            "Two parameters for the state [method=%s, state=%s].".formatted(where, state.getTypeName()),
                            "Remove one of them. A payload needs a class of its own.");
                }
                takesState = true;
                argument = SagaCall::state;
            }
            if (argument == null) {
                requirePayloadHere(where, role, payload, type);
                payload = type;
                UnaryOperator<Object> value = handlerArguments.payload(where, parameters[i]);
                argument = call -> value.apply(Objects.requireNonNull(call.payload()));
                checked = value;
            }
            arguments[i] = argument;
        }
        if (role == Role.HANDLER && payload == null) {
            throw SagaReader.refused(
                    "A handler needs a payload [handler=%s]. A parameter of type %s is the state."
                            .formatted(where, state.getTypeName()),
                    FIX);
        }
        return new Signature(
                payload,
                takesState,
                new Checked(
                        method(
                                where,
                                found.invoker(),
                                arguments,
                                takesState && !returnsState ? state : null,
                                returnsState),
                        checked));
    }

    /** A method, and the check of its payload alone. */
    private record Checked(SagaMethod method, UnaryOperator<Object> payload) implements SagaMethod {

        @Override
        public @Nullable Object invoke(
                @Nullable Object payload,
                MessageContext message,
                @Nullable Object state,
                SagaContext saga,
                @Nullable BlockedOn blockedOn)
                throws Exception {
            return method.invoke(payload, message, state, saga, blockedOn);
        }

        @Override
        public void check(Object payload) {
            Object unused = this.payload.apply(payload);
        }
    }

    private static boolean returnsState(BeanMethod found, Type state) {
        if (found.method().getReturnType() == void.class) {
            return false;
        }
        if (!SagaState.isSame(found.returnType(), state)) {
            throw SagaReader.refused(
                    "A method of a saga returns its state or void [method=%s, returns=%s, state=%s]."
                            .formatted(found.where(), found.returnType().getTypeName(), state.getTypeName()),
                    "Return the state; send messages with SagaContext.step or Bunny.publish.");
        }
        return true;
    }

    /** Reads an argument other than state and payload; {@code null} if the parameter is one of these. */
    private static @Nullable SagaArgument withoutState(String where, Parameter parameter, Role role) {
        if (parameter.getType() == SagaContext.class) {
            return SagaCall::saga;
        }
        if (parameter.getType() == BlockedOn.class) {
            if (!TOLD.contains(role)) {
                throw SagaReader.refused(
                        "Only a method with @OnPoisoned, @OnExpired or @OnShredded takes a BlockedOn [method=%s]."
                                .formatted(where),
                        "Remove the parameter, or move the code to the method with @OnPoisoned.");
            }
            return SagaCall::blockedOn;
        }
        Function<MessageContext, @Nullable Object> contextArgument = HandlerArguments.context(where, parameter);
        return contextArgument == null ? null : call -> contextArgument.apply(call.message());
    }

    private static void requirePayloadHere(String where, Role role, @Nullable Type payload, Type type) {
        if (role != Role.HANDLER) {
            throw SagaReader.refused(
                    "A method with @%s takes no payload [method=%s, parameter=%s]."
                            .formatted(role.annotation, where, type.getTypeName()),
                    "Remove the parameter; keep what the method needs in the state.");
        }
        if (payload != null) {
            throw SagaReader.refused(
                    "A handler takes one payload [handler=%s]: parameters %s and %s both look like one, as neither is the state, which is what the methods with @Starts return."
                            .formatted(where, payload.getTypeName(), type.getTypeName()),
                    FIX);
        }
    }

    /** @param unchanged type of the state, to check that a void method left it unchanged; {@code null} if the method may change it */
    private static SagaMethod method(
            String where,
            MethodInvoker invoker,
            SagaArgument[] arguments,
            @Nullable Type unchanged,
            boolean returnsState) {
        return (payload, message, state, saga, blockedOn) -> {
            SagaCall call = new SagaCall(payload, message, state, saga, blockedOn);
            @Nullable Object[] values = new Object[arguments.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = arguments[i].resolve(call);
            }
            JsonNode before = state == null || unchanged == null ? null : StateFormat.write(state);
            Object result = invoker.invoke(values);
            if (before != null
                    && StateFormat.isChanged(
                            before, Objects.requireNonNull(state), Objects.requireNonNull(unchanged))) {
                throw new MisuseException(
                        MisuseException.SAGA,
                        "A method of a saga changed the state but is void, so the change would be lost [method=%s]. It must return the state."
                                .formatted(where));
            }
            if (result == null && returnsState) {
                throw new MisuseException(
                        MisuseException.SAGA,
                        "A method of a saga returned null instead of the state [method=%s]. Return the state, or make the method void, which leaves the state unchanged. It must not return null."
                                .formatted(where));
            }
            return result;
        };
    }
}

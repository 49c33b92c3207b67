// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.saga.Starts;
import io.safebunny.serialization.json.StateFormat;
import java.lang.reflect.Type;
import java.util.List;

/** The type of a saga's state. For use at start-up. */
final class SagaState {

    private SagaState() {}

    /**
     * The return type of the methods that start the saga.
     *
     * @param handlers of the saga, in any order
     * @throws ConfigurationException SB-1107 if there is no such method, they disagree, or the type cannot be stored
     */
    static Type type(String owner, List<BeanMethod> handlers) {
        BeanMethod first = null;
        for (BeanMethod handler : handlers) {
            if (!handler.has(Starts.class)) {
                continue;
            }
            if (handler.method().getReturnType() == void.class) {
                throw SagaReader.refused(
                        "A handler that starts a saga must return its state [handler=%s, returns=void]."
                                .formatted(handler.where()),
                        "Return the first state, ideally a record.");
            }
            if (first == null) {
                first = handler;
            } else if (!isSame(first.returnType(), handler.returnType())) {
                throw SagaReader.refused(
                        "A saga has one type of state: %s returns %s, and %s returns %s."
                                .formatted(
                                        first.where(),
                                        first.returnType().getTypeName(),
                                        handler.where(),
                                        handler.returnType().getTypeName()),
                        "Return the same type from all methods with @Starts.");
            }
        }
        if (first == null) {
            throw SagaReader.refused(
                    "Nothing starts the saga [saga=%s]: it has no handler with @Starts.".formatted(owner),
                    "Add @Starts to the handler of its first message: @Starts @BunnyHandler(from = \"storefront\") State on(PlaceOrder placed, SagaContext saga).");
        }
        requireStorable(first.where(), first.returnType());
        return first.returnType();
    }

    /** Compares by name, because a resolved type variable is not always equal to the explicit type. */
    static boolean isSame(Type one, Type other) {
        return one.getTypeName().equals(other.getTypeName());
    }

    /** @throws ConfigurationException SB-1107 if it cannot become a JSON object and be read back from it */
    static void requireStorable(String where, Type type) {
        String flaw = StateFormat.flaw(type);
        if (flaw != null) {
            throw SagaReader.refused(
                    "The state of a saga cannot be stored [handler=%s, state=%s]: %s."
                            .formatted(where, type.getTypeName(), flaw),
                    "Return a record of your own, such as: record State(String order, long cents) {}.");
        }
    }
}

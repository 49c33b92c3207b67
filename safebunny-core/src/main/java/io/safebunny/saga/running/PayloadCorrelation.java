// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handler.SagaHandler;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Messages of the application belong to the saga of their correlation id, or of what their payload says. Thread-safe. */
final class PayloadCorrelation implements Correlation {

    private final SagaType type;
    private final SagaHandler handler;

    PayloadCorrelation(SagaType type, SagaHandler handler) {
        this.type = type;
        this.handler = handler;
    }

    @Override
    public Membership of(Envelope message, Object payload) {
        Function<Object, @Nullable String> correlation = handler.correlation();
        String sagaId = correlation == null ? message.correlationId() : requireId(correlation.apply(payload));
        List<SagaType> concerned = handler.onlyStarts() ? List.of() : List.of(type);
        return StickWhenSetAside.of(concerned, message, sagaId);
    }

    private String requireId(@Nullable String id) {
        if (id == null || !Names.isCorrelationId(id)) {
            throw new InvalidMessageException(
                    PoisonReason.MISSING_PROPERTY,
                    "Invalid saga id [handler=%s, id=%s]: @CorrelatedBy must lead to a text that matches [A-Za-z0-9._:-]{1,64}."
                            .formatted(handler.description(), id == null ? "null" : Names.printable(id)));
        }
        return id;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.failure.MisuseException;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.BunnyRepair.Outcome;
import io.safebunny.store.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;

/**
 * What came of repairs of sagas, for the audit, as the histories of the sagas say. Reads each saga once, and the first ones only. For one
 * answer, on one thread.
 */
final class RepairResults {

    /** Most sagas that are read. */
    private static final int MOST = 30;

    /** How much earlier than the audit the history may have a repair: it is carried out before it is known to be sent, and clocks differ. */
    private static final Duration EARLIER = Duration.ofMinutes(1);

    private static final String OF_SAGA = "SAGA_";

    private final Sagas sagas;
    private final Map<String, Optional<SagaView>> read = new HashMap<>();

    RepairResults(Sagas sagas) {
        this.sagas = sagas;
    }

    static boolean isRepair(String action) {
        return action.startsWith(OF_SAGA);
    }

    /** Adds what the saga's history says of the repair, and what the saga is now. */
    void add(Map<String, Object> view, AuditEvent event, String action) {
        SagaView saga = saga(event);
        if (saga == null) {
            return;
        }
        BunnyRepair repair = new BunnyRepair(
                saga.saga(),
                Action.valueOf(action.substring(OF_SAGA.length())),
                step(event),
                0,
                null,
                text(event, "reason"));
        Instant begin = event.getTimestamp().minus(EARLIER);
        for (Event entry : saga.history()) {
            Outcome outcome = entry.at().isBefore(begin) ? null : repair.outcome(entry.what());
            if (outcome != null) {
                view.put("result", outcome.refusal() == null ? "DONE" : "REFUSED");
                view.put("detail", outcome.refusal() == null ? now(saga) : Audit.text(outcome.refusal()));
                return;
            }
        }
    }

    private static String now(SagaView saga) {
        return "the saga is %s now%s"
                .formatted(saga.status(), SagaRepair.needsPerson(saga) ? ", and needs a person" : "");
    }

    private @Nullable SagaView saga(AuditEvent event) {
        String name = text(event, "saga");
        String id = text(event, "sagaId");
        String key = name + ' ' + id;
        if (!read.containsKey(key) && read.size() < MOST) {
            read.put(key, find(name, id));
        }
        return read.getOrDefault(key, Optional.empty()).orElse(null);
    }

    private Optional<SagaView> find(String name, String id) {
        try {
            return sagas.find(name, id);
        } catch (StoreUnavailableException | MisuseException e) {
            return Optional
                    .empty(); // the store is silent, or another application has told of a saga that this node does not
            // know
        }
    }

    private static @Nullable String step(AuditEvent event) {
        return event.getData().containsKey("step") ? text(event, "step") : null;
    }

    private static String text(AuditEvent event, String name) {
        return String.valueOf(event.getData().get(name));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.failure.MisuseException;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Outcome;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;

/**
 * What came of repairs of sagas, for the audit, as the histories of the sagas say. Reads each saga once, the first ones only, and none any
 * more once the store has not answered. For one answer, on one thread.
 */
final class RepairResults {

    /** Name of the id of a repair, by which the history of its saga tells of it. */
    static final String REPAIR = "repair";

    /** Most sagas that are read. */
    private static final int MOST = 30;

    private static final String OF_SAGA = "SAGA_";

    private static final String SILENT = "the store does not answer";

    private final Sagas sagas;
    private final Map<String, Read> read = new HashMap<>();
    private boolean isStoreSilent;

    RepairResults(Sagas sagas) {
        this.sagas = sagas;
    }

    /**
     * @param saga {@code null} if there is a problem
     * @param problem why it was not read, as the end of a sentence
     */
    private record Read(@Nullable SagaView saga, String problem) {

        static Read failed(String problem) {
            return new Read(null, problem);
        }
    }

    static boolean isRepair(String action) {
        return action.startsWith(OF_SAGA);
    }

    /** Adds what the saga's history says of the repair and what the saga is now, or why that is not known. */
    void add(Map<String, Object> view, AuditEvent event) {
        Read read = saga(text(event, "saga"), text(event, "sagaId"));
        if (read.saga != null) {
            add(view, event, read.saga);
        } else {
            view.put("detail", "what came of it is not known: " + read.problem);
        }
    }

    private static void add(Map<String, Object> view, AuditEvent event, SagaView saga) {
        Outcome outcome = BunnyRepair.outcome(saga.history(), text(event, REPAIR), text(event, "reason"));
        if (outcome != null) {
            view.put("result", outcome.refusal() == null ? "DONE" : "REFUSED");
            view.put("detail", outcome.refusal() == null ? now(saga) : Audit.text(outcome.refusal()));
        }
    }

    private static String now(SagaView saga) {
        return "the saga is %s now%s"
                .formatted(saga.status(), SagaRepair.needsPerson(saga) ? ", and needs a person" : "");
    }

    private Read saga(String name, String id) {
        String key = name + ' ' + id;
        Read known = read.get(key);
        if (known != null) {
            return known;
        }
        if (isStoreSilent) {
            return Read.failed(SILENT);
        }
        if (read.size() == MOST) {
            return Read.failed("one answer reads %s sagas at most. Narrow it down".formatted(MOST));
        }
        Read found = find(name, id);
        read.put(key, found);
        return found;
    }

    private Read find(String name, String id) {
        try {
            return sagas.find(name, id)
                    .map(saga -> new Read(saga, ""))
                    .orElse(Read.failed("the saga is not stored any more"));
        } catch (StoreUnavailableException e) {
            isStoreSilent = true;
            return Read.failed(SILENT);
        } catch (UnreadableRecordException e) {
            return Read.failed("a newer version of SafeBunny has written the saga, or it is damaged");
        } catch (MisuseException e) { // another application has told of it
            return Read.failed("this node has no such saga");
        }
    }

    private static String text(AuditEvent event, String name) {
        return String.valueOf(event.getData().get(name));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.saga.SagaView;
import io.safebunny.time.Timeline;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes audit events: one for each operation and, for those on poison messages, one for each message moved, with the same id. Events
 * contain no payload and no header. If a listener throws, the event is logged. Thread-safe.
 */
final class Audit implements SafeBunnyEvent.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final int LONGEST_NAME = 100;
    private static final int LONGEST_REASON = 500;

    private final ApplicationEventPublisher publisher;
    private final Timeline timeline;

    Audit(ApplicationEventPublisher publisher, Timeline timeline) {
        this.publisher = publisher;
        this.timeline = timeline;
    }

    void paused(String type, BreakerSection.Pause pause, String by, String operation) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("operation", operation);
        data.put("type", type);
        data.put("scope", pause.scope());
        data.put("reason", Names.printable(pause.reason(), LONGEST_REASON));
        tell(timeline.now(), by, pause.duration() == null ? "SAFEBUNNY_RESUME" : "SAFEBUNNY_PAUSE", data);
    }

    void begun(PoisonOperation operation) {
        PoisonRequest request = operation.request();
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("operation", operation.id());
        data.put("filter", Names.printable(request.filter().toString(), LONGEST_REASON));
        data.put("dryRun", request.dryRun());
        data.put("forced", request.forced());
        data.put("perSecond", request.perSecond());
        data.put("reason", Names.printable(request.reason(), LONGEST_REASON));
        tell(operation.begunAt(), request.by(), "SAFEBUNNY_" + operation.kind(), data);
    }

    void edited(PoisonEdit edit, PoisonOperation operation) {
        tell(operation.begunAt(), operation.request().by(), "SAFEBUNNY_EDIT", about(edit, operation));
    }

    /** @param operation {@code null} if none was started */
    void notEdited(PoisonEdit edit, @Nullable PoisonOperation operation, RuntimeException failure) {
        Map<String, Object> data = about(edit, operation);
        data.put("failure", Names.printable(String.valueOf(failure.getMessage()), LONGEST_REASON));
        tell(timeline.now(), Names.printable(edit.by(), LONGEST_NAME), "SAFEBUNNY_EDIT_FAILED", data);
    }

    private static Map<String, Object> about(PoisonEdit edit, @Nullable PoisonOperation operation) {
        Map<String, Object> data = new LinkedHashMap<>();
        if (operation != null) {
            data.put("operation", operation.id());
        }
        data.put("messageId", Names.printable(edit.messageId()));
        data.put("copy", Names.printable(edit.digest()));
        data.put("reason", Names.printable(edit.reason(), LONGEST_REASON));
        return data;
    }

    void repaired(String by, SagaView saga, SagaRepair repair) {
        tell(timeline.now(), by, "SAFEBUNNY_SAGA_" + repair.action(), about(saga, repair));
    }

    /** Audits a repair that failed. It may have taken effect nevertheless; the saga's history tells. */
    void notRepaired(String by, SagaView saga, SagaRepair repair, RuntimeException failure) {
        Map<String, Object> data = about(saga, repair);
        data.put("failure", Names.printable(String.valueOf(failure.getMessage()), LONGEST_REASON));
        tell(timeline.now(), by, "SAFEBUNNY_SAGA_" + repair.action() + "_FAILED", data);
    }

    private static Map<String, Object> about(SagaView saga, SagaRepair repair) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("saga", saga.saga());
        data.put("sagaId", saga.id());
        if (repair.step() != null) {
            data.put("step", Names.printable(repair.step()));
        }
        data.put("reason", Names.printable(repair.reason(), LONGEST_REASON));
        return data;
    }

    void cancelled(PoisonOperation operation, String by) {
        tell(timeline.now(), by, "SAFEBUNNY_CANCEL", Map.of("operation", operation.id()));
    }

    @Override
    public void on(SafeBunnyEvent event) {
        if (event instanceof SafeBunnyEvent.MessageMoved moved) {
            Map<String, Object> data = new LinkedHashMap<>();
            data.put("operation", moved.operation());
            data.put("to", moved.to());
            data.put("type", String.valueOf(moved.type()));
            data.put("messageId", String.valueOf(moved.messageId()));
            data.put("correlationId", String.valueOf(moved.correlationId()));
            tell(moved.occurredAt(), moved.by(), "SAFEBUNNY_" + moved.kind() + "_MESSAGE", data);
        }
    }

    private void tell(Instant at, String by, String type, Map<String, Object> data) {
        try {
            publisher.publishEvent(new AuditApplicationEvent(new AuditEvent(at, by, type, data)));
        } catch (RuntimeException e) { // the operation is done; a failing listener must not hide its outcome
            LOG.error(
                    "Not audited, because a listener failed: {} by {} {}",
                    type,
                    by,
                    data,
                    ExceptionDetails.TYPE_ONLY.logged(e));
        }
    }
}

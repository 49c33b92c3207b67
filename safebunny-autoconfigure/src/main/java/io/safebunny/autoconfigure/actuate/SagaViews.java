// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.Content;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.message.Names;
import io.safebunny.saga.SagaPage;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.management.SagaSupervision;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The endpoint's view of sagas. Audits each state that it shows. Thread-safe, if the masker is. */
final class SagaViews {

    private static final Logger LOG = LoggerFactory.getLogger(SagaViews.class);

    private final BodyMasker masker;
    private final NodeEndpointProperties properties;
    private final Audit audit;

    SagaViews(BodyMasker masker, NodeEndpointProperties properties, Audit audit) {
        this.masker = masker;
        this.properties = properties;
        this.audit = audit;
    }

    static Map<String, Object> counts(SagaSupervision sagas) {
        Map<String, Object> view = new LinkedHashMap<>();
        Instant asOf = sagas.countedAt();
        view.put("asOf", asOf);
        if (asOf != null) {
            view.put("needingRepair", sagas.needingRepair());
            view.put("blocked", sagas.blocked());
            view.put("undoing", sagas.undoing());
        }
        return view;
    }

    static Map<String, Object> page(SagaPage page) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("sagas", page.sagas().stream().map(SagaViews::summary).toList());
        view.put("scanned", page.scanned());
        view.put("next", page.next());
        return view;
    }

    private static Map<String, Object> summary(SagaView saga) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("saga", saga.saga());
        view.put("id", saga.id());
        view.put("status", saga.status());
        view.put("startedAt", saga.startedAt());
        view.put("changedAt", saga.changedAt());
        view.put("endedAt", saga.endedAt());
        view.put("reason", saga.reason());
        view.put("blockedOn", saga.blockedOn());
        view.put("stuckOn", saga.stuckOn());
        view.put("idleSince", saga.idleSince());
        view.put("timeouts", saga.timeouts());
        return view;
    }

    /** @param content whether the caller asks for the state, too; it is shown to those who may see it */
    Map<String, Object> detailed(SagaView saga, SecurityContext user, boolean content) {
        Map<String, Object> view = summary(saga);
        view.put("version", saga.version());
        view.put("stateVersion", saga.stateVersion());
        if (content && properties.showsStates(user)) {
            addState(view, saga, user);
        } else {
            Content.addNone(view);
        }
        view.put("steps", saga.steps());
        view.put("history", saga.history());
        return view;
    }

    private void addState(Map<String, Object> view, SagaView saga, SecurityContext user) {
        Content state = masked(saga);
        if (state.shown()) {
            audit.tell(
                    Asked.by(user),
                    "LOOK",
                    Map.of("content", "state", "saga", saga.saga(), "sagaId", Names.printable(saga.id())));
        }
        state.addTo(view, "state");
    }

    Map<String, Object> detailed(List<SagaView> sagas, SecurityContext user, boolean content) {
        return Map.of(
                "sagas",
                sagas.stream().map(saga -> detailed(saga, user, content)).toList());
    }

    /** Refuses a new state that has in it what the mask shows this user instead of a value. */
    void requireNoMask(SagaView saga, String state, SecurityContext user) {
        if (properties.showsStates(user) && !saga.encrypted()) { // otherwise the patch is refused anyway
            masked(saga).requireNoMask("state", stored(saga), state);
        }
    }

    private static byte[] stored(SagaView saga) {
        return saga.state().getBytes(StandardCharsets.UTF_8);
    }

    private Content masked(SagaView saga) {
        if (saga.encrypted()) {
            return Content.notShown("it is encrypted, and only the methods of its saga read it");
        }
        try {
            return Content.of(masker.maskState(saga), stored(saga));
        } catch (RuntimeException e) {
            LOG.warn(
                    "The BodyMasker failed, so the state of saga {} {} is not shown",
                    saga.saga(),
                    saga.id(),
                    ExceptionDetails.TYPE_ONLY.logged(e));
            return Content.notShown("the BodyMasker failed with " + e.getClass().getName());
        }
    }
}

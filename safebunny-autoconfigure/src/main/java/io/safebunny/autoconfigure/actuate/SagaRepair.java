// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.message.Names;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Action;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** A requested repair of a saga. Invalid parameters are refused with SB-5001. Immutable. */
record SagaRepair(
        Action action,
        @Nullable String step,
        int version,
        @Nullable String state,
        String reason) {

    /** Longest reason that the saga's history keeps in full. */
    private static final int LONGEST_REASON = 400;

    private static final int LONGEST_STEP = 1_000;
    private static final int LONGEST_STATE = 1 << 20;

    private static final List<String> WORDS =
            Stream.of(Action.values()).map(SagaRepair::word).toList();

    static SagaRepair from(Map<String, String> asked) {
        Action action =
                Action.valueOf(Asked.oneOf("action", asked.get("action"), WORDS).toUpperCase(Locale.ROOT));
        String step = asked.get("step");
        String version = asked.get("version");
        String state = asked.get("state");
        boolean skips = action == Action.SKIP;
        boolean patches = action == Action.PATCH;
        if (!skips) {
            Asked.absent("step", step, "it is for the action skip only");
        }
        if (!patches) {
            Asked.absent("version", version, "it is for the action patch only");
            Asked.absent("state", state == null ? null : "given", "it is for the action patch only");
        }
        return new SagaRepair(
                action,
                skips ? Asked.text("step", step, LONGEST_STEP) : null,
                patches ? Asked.number("version", Asked.present("version", version), 0, Integer.MAX_VALUE) : 0,
                patches ? object(Asked.text("state", state, LONGEST_STATE)) : null,
                Asked.text("reason", asked.get("reason"), LONGEST_REASON));
    }

    private static String word(Action action) {
        return action.name().toLowerCase(Locale.ROOT);
    }

    private static String object(String state) {
        try {
            if (JsonMapper.shared().readTree(state).isObject()) {
                return state;
            }
        } catch (JacksonException e) {
            // refused below, like every value that is not an action
        }
        throw Asked.wrong("state", "given", "it must be a JSON object, as text");
    }

    void carryOut(Sagas sagas, String saga, String id) {
        switch (action) {
            case RETRY -> sagas.retry(saga, id, reason);
            case SKIP -> sagas.skip(saga, id, String.valueOf(step), reason);
            case FAIL -> sagas.fail(saga, id, reason);
            case RESUME -> sagas.resume(saga, id, reason);
            case PATCH -> sagas.patch(saga, id, version, String.valueOf(state), reason);
        }
    }

    /** The data of its audit event. */
    Map<String, Object> audited(SagaView saga) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("saga", saga.saga());
        data.put("sagaId", saga.id());
        if (step != null) {
            data.put("step", Names.printable(step));
        }
        data.put("reason", Audit.text(reason));
        return data;
    }

    /** The repair as the saga's history records it. */
    BunnyRepair of(String saga) {
        return new BunnyRepair(saga, action, step, version, state, reason);
    }
}

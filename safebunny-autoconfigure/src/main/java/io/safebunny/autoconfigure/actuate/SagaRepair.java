// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaMessages;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
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
                Asked.text("reason", Asked.reason(asked.get("reason")), LONGEST_REASON));
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

    /** @return the id of the repair */
    String carryOut(Sagas sagas, String saga, String id) {
        return switch (action) {
            case RETRY -> sagas.retry(saga, id, reason);
            case SKIP -> sagas.skip(saga, id, String.valueOf(step), reason);
            case FAIL -> sagas.fail(saga, id, reason);
            case RESUME -> sagas.resume(saga, id, reason);
            case PATCH -> sagas.patch(saga, id, version, String.valueOf(state), reason);
        };
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

    /** Whether the saga does not go on without a person, as far as its record tells. */
    static boolean needsPerson(SagaView saga) {
        boolean isLeft = saga.status() == SagaStatus.ACTIVE && !saga.blockedOn().isEmpty();
        return saga.status().needsRepair() || isLeft || saga.idleSince() != null;
    }

    /** What is known to have come of the repair, which the saga has carried out, and where to look for the rest. */
    String note(SagaView saga) {
        return switch (saga.status()) {
            case COMPLETED, FAILED -> "the saga is %s, and nothing more happens to it".formatted(saga.status());
            case STUCK -> "the repair is done, but the saga is STUCK%s".formatted(stuckOn(saga));
            case COMPENSATION_FAILED ->
                "the repair is done, but the saga is COMPENSATION_FAILED%s. %s"
                        .formatted(
                                blockedOn(saga),
                                advice(saga, "Mend the cause, then retry, or skip the step once it is undone by hand"));
            case COMPENSATING ->
                "the saga is being undone: whether its undos succeed is not known yet. " + lookAgain(saga);
            case ACTIVE -> active(saga);
        };
    }

    private String active(SagaView saga) {
        if (!saga.blockedOn().isEmpty()) {
            return "the repair is done, but the saga still waits%s. %s"
                    .formatted(blockedOn(saga), advice(saga, "Mend the cause, then retry"));
        }
        if (saga.idleSince() != null) {
            return "the saga is ACTIVE, but nothing is known to be under way for it: it has no timeout, and no command of it may still be answered. Unless what it waits for comes by itself, fail it, or replay what was set aside for it. Until something happens, it is in GET safebunny/sagas?state=blocked";
        }
        return switch (action) {
            case RETRY ->
                "what was set aside is sent again: whether it is handled now is not known yet. " + lookAgain(saga);
            case RESUME ->
                "the saga takes messages again, and its timeouts that are due run now: what comes of them is not known yet. "
                        + lookAgain(saga);
            default -> "the saga is ACTIVE. " + lookAgain(saga);
        };
    }

    private static String stuckOn(SagaView saga) {
        return saga.stuckOn() == null
                ? ""
                : " on message %s of node %s: replay it, or resume the saga without it"
                        .formatted(saga.stuckOn().messageId(), saga.stuckOn().node());
    }

    private static String blockedOn(SagaView saga) {
        return saga.blockedOn().isEmpty()
                ? ""
                : ": %s"
                        .formatted(
                                saga.blockedOn().stream().map(SagaRepair::shown).collect(Collectors.joining(", ")));
    }

    private static String shown(BlockedOn on) {
        return "%s %s was set aside by %s (%s)".formatted(on.type(), on.messageId(), on.node(), on.reason());
    }

    /**
     * What helps each message that the saga waits for: not all of them are worth a retry.
     *
     * @param usual what helps if nothing speaks against sending a message again
     */
    private static String advice(SagaView saga, String usual) {
        boolean isUsual =
                saga.blockedOn().isEmpty() || saga.blockedOn().stream().anyMatch(on -> !isTooOld(on) && !isNews(on));
        return Stream.concat(
                        isUsual ? Stream.of(usual) : Stream.empty(),
                        saga.blockedOn().stream().flatMap(SagaRepair::advice))
                .collect(Collectors.joining(". "));
    }

    private static Stream<String> advice(BlockedOn on) {
        if (isNews(on)) {
            return Stream.of("%s %s says that the undo was carried out: replay it from the poison queue of %s"
                    .formatted(on.type(), on.messageId(), on.node()));
        }
        return isTooOld(on)
                ? Stream.of(
                        "%s %s is too old to be sent again: find out whether %s has carried it out. If so, skip its step; if not, replay the copy from the poison queue of %s"
                                .formatted(on.type(), on.messageId(), on.node(), on.node()))
                : Stream.empty();
    }

    /** Sent again, it would be set aside again. */
    private static boolean isTooOld(BlockedOn on) {
        return on.reason().equals(PoisonReason.TOO_OLD.wireName());
    }

    /** Whether it acknowledges an undo: a retry of that is refused. */
    private static boolean isNews(BlockedOn on) {
        return on.type().equals(SagaMessages.UNDONE);
    }

    private static String lookAgain(SagaView saga) {
        return "Look again with GET safebunny/sagas/%s, or ask for its story with GET safebunnystory/%s"
                .formatted(saga.id(), saga.id());
    }
}

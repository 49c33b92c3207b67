// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.BunnyRepair.Action;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The last fifty events of a saga; part of its document. Confined to one thread. */
public final class SagaHistory {

    static final String NAME = "history";
    private static final int MOST = 50;

    private final ObjectNode root;

    SagaHistory(ObjectNode root) {
        this.root = root;
    }

    void note(Instant now, String what) {
        note(now, what, null, null);
    }

    /** An event of a repair by hand. */
    void note(Instant now, String what, @Nullable String repair, @Nullable String by) {
        ObjectNode event =
                SagaFields.withRoom(SagaFields.array(root, NAME), MOST).addObject();
        event.put("at", now.toEpochMilli());
        event.put("what", SagaFields.shortened(what));
        if (repair != null) {
            event.put("repair", repair);
        }
        if (by != null) {
            event.put("by", by);
        }
    }

    /**
     * Drops the older half of the events, to make room in the document.
     *
     * @return whether there was more than one event
     */
    boolean shorten() {
        ArrayNode events = SagaFields.array(root, NAME);
        int most = Math.max(1, events.size() / 2);
        boolean isShorter = events.size() > most;
        while (events.size() > most) {
            events.remove(0);
        }
        return isShorter;
    }

    /** All events, the latest one last. */
    List<SagaView.Event> all() {
        List<SagaView.Event> events = new ArrayList<>();
        for (JsonNode event : root.path(NAME)) {
            events.add(event(event));
        }
        return events;
    }

    private static SagaView.Event event(JsonNode event) {
        return new SagaView.Event(
                SagaFields.instant(event, "at"),
                SagaFields.text(event, "what"),
                SagaFields.textIfAny(event, "repair"),
                SagaFields.textIfAny(event, "by"));
    }

    /**
     * The latest skip or resume, if nothing has happened since that brings the saga on. Reads no more of the events than it needs: every
     * write of an active saga asks.
     *
     * @param hasSteps whether it has sent commands, of which none is in flight: then the messages that it has taken since, without sending
     *     anything, were the last answers, and bring it no further
     */
    SagaView.@Nullable Event repairWithoutEffect(boolean hasSteps) {
        JsonNode events = root.path(NAME);
        return repairWithoutEffect(events.size(), i -> event(events.get(i)), hasSteps);
    }

    /** The same in a history that was told. */
    public static SagaView.@Nullable Event repairWithoutEffect(List<SagaView.Event> events, boolean hasSteps) {
        return repairWithoutEffect(events.size(), events::get, hasSteps);
    }

    private static SagaView.@Nullable Event repairWithoutEffect(
            int size, IntFunction<SagaView.Event> events, boolean hasSteps) {
        for (int i = size - 1; i >= 0; i--) {
            SagaView.Event event = events.apply(i);
            Happening happening = Happening.of(event);
            if (happening instanceof Repaired repaired && repaired.action() != Action.PATCH) {
                return repaired.mayLeaveItIdle() ? event : null;
            }
            boolean leavesItWaiting = happening instanceof SetAside
                    || happening instanceof Repaired
                    || happening instanceof Refused
                    || (hasSteps && happening instanceof Took);
            if (!leavesItWaiting) {
                return null;
            }
        }
        return null;
    }

    /**
     * What a story or a test of an incident reads in a history again. An event is stored as words, so both ways are here. Immutable.
     */
    public sealed interface Happening {

        /** What is stored. */
        String words();

        /** {@code null} if it is none of these, or its words were cut. */
        static @Nullable Happening of(SagaView.Event event) {
            String words = event.what();
            if (words.startsWith(Failed.WORDS)) {
                return new Failed(words.substring(Failed.WORDS.length()));
            }
            Matcher repaired = Repaired.WORDS.matcher(words);
            if (repaired.matches()) {
                return new Repaired(Action.valueOf(repaired.group(1)), repaired.group(2));
            }
            Matcher refused = Refused.WORDS.matcher(words);
            if (refused.matches()) {
                return new Refused(Action.valueOf(refused.group(1)), refused.group(2));
            }
            Matcher took = Took.WORDS.matcher(words);
            Matcher over = TimedOut.WORDS.matcher(words);
            Matcher step = SentStep.WORDS.matcher(words);
            Matcher aside = SetAside.WORDS.matcher(words);
            if (took.matches()) {
                return new Took(took.group(1), took.group(2));
            } else if (over.matches()) {
                return new TimedOut(over.group(1));
            } else if (step.matches()) {
                return new SentStep(step.group(1), step.group(2));
            }
            return aside.matches()
                    ? new SetAside(new BlockedOn(aside.group(2), aside.group(1), aside.group(3), aside.group(4)))
                    : null;
        }
    }

    /** It took a message. */
    public record Took(String type, String messageId) implements Happening {
        private static final Pattern WORDS = Pattern.compile("took (\\S+) (\\S+)");

        @Override
        public String words() {
            return "took %s %s".formatted(type, messageId);
        }
    }

    /** A timeout was over. */
    public record TimedOut(String timeout) implements Happening {
        private static final Pattern WORDS = Pattern.compile("timeout (.*) is over");

        @Override
        public String words() {
            return "timeout %s is over".formatted(timeout);
        }

        /** What is stored when it is set. */
        public static String set(String timeout, Instant due) {
            return "timeout %s at %s".formatted(timeout, due);
        }

        /** When it is due since this event; {@code null} if the event has not set it. */
        public @Nullable Instant dueSince(SagaView.Event event) {
            String set = "timeout %s at ".formatted(timeout);
            try {
                return event.what().startsWith(set) ? Instant.parse(event.what().substring(set.length())) : null;
            } catch (DateTimeParseException e) {
                return null; // of another timeout, whose name goes on
            }
        }
    }

    /** It sent the command of a step. */
    public record SentStep(String step, String type) implements Happening {
        private static final Pattern WORDS = Pattern.compile("step (.*): (\\S+)");

        @Override
        public String words() {
            return "step %s: %s".formatted(step, type);
        }
    }

    /** It heard that somebody had set a message aside. */
    public record SetAside(BlockedOn message) implements Happening {
        private static final Pattern WORDS = Pattern.compile("(\\S+) (\\S+) was set aside by (\\S+): (\\S+)");

        @Override
        public String words() {
            return "%s %s was set aside by %s: %s"
                    .formatted(message.type(), message.messageId(), message.node(), message.reason());
        }
    }

    /**
     * Somebody has repaired it by hand.
     *
     * @param reason {@code null} if it must not be told
     */
    public record Repaired(Action action, @Nullable String reason) implements Happening {
        private static final Pattern WORDS =
                Pattern.compile("(RETRY|SKIP|FAIL|RESUME|PATCH)(?:: (.*))?", Pattern.DOTALL);

        @Override
        public String words() {
            return reason == null ? action.name() : "%s: %s".formatted(action, reason);
        }

        /** Whether a saga may go on after it and yet wait for what nobody will send. */
        boolean mayLeaveItIdle() {
            return action == Action.SKIP || action == Action.RESUME;
        }
    }

    /**
     * It refused to be repaired by hand.
     *
     * @param texts the reason of the repair, in parentheses, and why it was refused
     */
    public record Refused(Action action, String texts) implements Happening {
        private static final Pattern WORDS =
                Pattern.compile("refused (RETRY|SKIP|FAIL|RESUME|PATCH) (\\(.*)", Pattern.DOTALL);

        /** @param why why it was refused */
        Refused(BunnyRepair repair, String why) {
            this(repair.action(), "(%s): %s".formatted(repair.reason(), why));
        }

        @Override
        public String words() {
            return "refused %s %s".formatted(action, texts);
        }

        /** Why it was refused: without the reason of the repair, unless the texts were cut before its end. */
        String why(String reason) {
            String before = "(%s): ".formatted(reason);
            return texts.startsWith(before) ? texts.substring(before.length()) : texts;
        }
    }

    /** It failed, and is undone from then on. */
    public record Failed(String reason) implements Happening {
        private static final String WORDS = "failed: ";

        @Override
        public String words() {
            return WORDS + reason;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.wanted.AskedFates.Told;
import io.safebunny.poison.wanted.StepFate;
import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a replay of a copy would do, according to the record of its message. Pure.
 *
 * @param explanation a sentence
 */
record Judgement(Verdict verdict, String explanation) {

    private static final String BY_NAME = "; a forced replay moves it only if its id or this verdict is given.";
    private static final String ALL_THE_SAME = ". Discard it: a forced replay by id or verdict does it all the same.";

    /**
     * Judges a copy that its queue can read, on a node with a store.
     *
     * @param record of the message; {@code null} if there is none
     * @param sameMessage whether the record belongs to this message rather than to another one with its id
     * @param version version of the record when the copy was set aside, according to the copy; 0 if it does not say
     * @param silent whether the record is a claim that has not been renewed for a lease
     * @param tooOld whether the message is older than records are kept; ignored if a record shows what became of the message
     */
    static Judgement of(
            @Nullable MessageRecord record, boolean sameMessage, long version, boolean silent, boolean tooOld) {
        if (record == null && tooOld) {
            return tooOld("has no record, or one that expires before a replay would end");
        }
        if (record == null) {
            return new Judgement(Verdict.RUN, "It has no record, so it is handled as if it were new.");
        }
        if (!sameMessage && version > 0 && version < record.version()) {
            return new Judgement(
                    Verdict.SUPERSEDED,
                    "Its record belongs to a newer body: it was edited since, or this edit came too late [sb-poison-version=%s, stored=%s]. It would come back: replay the other copy, or discard this one if the other was handled."
                            .formatted(version, record.version()));
        }
        if (!sameMessage) {
            return new Judgement(
                    Verdict.CLASH,
                    "Its record belongs to another message with the same id, of another type or body: it would come back.");
        }
        return switch (record.state()) {
            case COMPLETED ->
                new Judgement(
                        Verdict.RESEND, "It was handled, but its publications are not sent yet: a replay sends them.");
            case DISPATCHED -> new Judgement(Verdict.DONE, "It was handled meanwhile: a replay does nothing.");
            case UNDONE -> new Judgement(Verdict.DONE, "It is a step that was undone: a replay does nothing.");
            case CLAIMED -> claimed(silent, tooOld);
            case RELEASED ->
                tooOld
                        ? tooOld("its steps may be forgotten, because its record does not say that it was set aside")
                        : new Judgement(Verdict.RUN, "It is handled, with the attempts that its record leaves.");
            case PARKED ->
                new Judgement(
                        Verdict.DONE,
                        "It waits in the store for its turn among the messages with its order key, and is handled then: a replay does nothing.");
            case POISONED -> poisoned(record, version);
        };
    }

    /** @param why why the saga of the message would ignore it; {@code null} if it would not */
    Judgement unlessIgnored(@Nullable String why) {
        return why == null ? this : new Judgement(Verdict.DONE, why + ": a replay does nothing, so discard it.");
    }

    /** Whether it depends on its saga what is to be done with the copy, or with the newer one that the explanation names. */
    boolean isOfStep() {
        return switch (verdict) {
            case RUN, REPEATS, SUPERSEDED, TOO_OLD -> true; // a forced replay handles what is too old
            default -> false;
        };
    }

    /**
     * Judges a copy that would be handled, or another copy of whose message would be, by what its saga knows of the step to which it belongs.
     *
     * @param step {@code null} if it belongs to none
     * @param setAsideAt when it was set aside; {@code null} if that is not known
     */
    Judgement ofStep(@Nullable Told step, @Nullable Instant setAsideAt) {
        boolean isOlder = verdict == Verdict.SUPERSEDED;
        if (step == null || !isOfStep()) {
            return this;
        }
        StepFate fate = step.fate();
        if (fate == null) {
            return unsure(step);
        }
        String saga = "saga " + fate.saga();
        return switch (fate.wish(step.isUndo())) {
            case SKIPPED ->
                unwanted("An operator has skipped step %s of %s, as %s by hand or not wanted"
                        .formatted(fate.step(), saga, step.isUndo() ? "undone" : "done"));
            case UNDONE -> unwanted("The undo of step %s of %s is acknowledged".formatted(fate.step(), saga));
            case FAILED ->
                unwanted("Saga %s is %s, and wants step %s no more".formatted(fate.saga(), fate.status(), fate.step()));
            case NOT_AWAITED ->
                with("Saga %s is %s without it: replay it only if its effect is still wanted."
                        .formatted(fate.saga(), fate.status()));
            case WANTED -> {
                Instant again = fate.sentAgainAt();
                yield isOlder || again == null || setAsideAt == null || !again.isAfter(setAsideAt)
                        ? this
                        : with(
                                "Saga %s was told at %s to send again what it waits for: if this is under way a second time, it is still handled once."
                                        .formatted(fate.saga(), again));
            }
        };
    }

    private Judgement unsure(Told step) {
        String why = step.problem() == null
                ? "node %s has no saga with this step, or not any more".formatted(step.node())
                : "node %s does not say so (%s)".formatted(step.node(), step.problem());
        return verdict == Verdict.SUPERSEDED
                ? new Judgement(
                        verdict,
                        "A newer copy of it may be here: look at that one, and at the saga, before you replay anything. Whether the saga that has sent it still wants it is not known: "
                                + why + ". No replay moves this older copy.")
                : new Judgement(
                        Verdict.UNSURE,
                        "%sWhether the saga that has sent it still wants it is not known: %s. Its step may have been skipped, because somebody has done it by hand. Ask again, or look at the saga%s"
                                .formatted(verdict == Verdict.TOO_OLD ? explanation + ' ' : "", why, BY_NAME));
    }

    private Judgement unwanted(String why) {
        return new Judgement(
                Verdict.UNWANTED,
                why
                        + (verdict == Verdict.SUPERSEDED
                                ? ". Discard it: it is older than what is stored of its message, so no replay moves it."
                                : ALL_THE_SAME));
    }

    private Judgement with(String note) {
        return new Judgement(verdict, explanation + ' ' + note);
    }

    /** Tells, too, that a replay has no deadline, if the copy has one. */
    Judgement ofDeadline(WireMessage copy) {
        return verdict.isReplayed() && copy.headers().get(Headers.DEADLINE) instanceof Number millis
                ? new Judgement(
                        verdict,
                        "%s Its deadline is %s; a replay has none."
                                .formatted(explanation, Instant.ofEpochMilli(millis.longValue())))
                : this;
    }

    private static Judgement claimed(boolean silent, boolean tooOld) {
        if (!silent) {
            return new Judgement(
                    Verdict.BUSY,
                    "Another delivery of it is being handled, or ended without recording the outcome: ask this instance again after safebunny.dedup.lease.");
        }
        return tooOld
                ? tooOld("its steps may be forgotten, because its record does not say that it was set aside")
                : new Judgement(
                        Verdict.RUN,
                        "Its handling ended without recording the outcome: it is handled once that claim is taken over, after another safebunny.dedup.lease.");
    }

    private static Judgement tooOld(String why) {
        return new Judgement(
                Verdict.TOO_OLD,
                "It is older than safebunny.dedup.retention and %s, so it would come back as too-old. Check its effects; a forced replay is handled."
                        .formatted(why));
    }

    private static Judgement poisoned(MessageRecord record, long version) {
        return version == 0 || version == record.version()
                ? new Judgement(Verdict.RUN, "It is handled from its first attempt; completed steps are not repeated.")
                : new Judgement(
                        Verdict.SUPERSEDED,
                        "It was set aside again since [sb-poison-version=%s, stored=%s]: replay the copy with the stored version. If there is none, the process ended before it sent that copy, and this is the only one: see docs/poison.md."
                                .formatted(version, record.version()));
    }
}

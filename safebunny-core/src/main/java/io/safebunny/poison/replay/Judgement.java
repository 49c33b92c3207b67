// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.poison.Verdict;
import io.safebunny.store.MessageRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a replay of a copy does, by what is stored of its message. Pure.
 *
 * @param explanation a sentence
 */
record Judgement(Verdict verdict, String explanation) {

    /**
     * Of a copy that its queue can read, where there is a store.
     *
     * @param record of the message; {@code null} when there is none
     * @param sameMessage whether the record is that of this message, and not of another with its id
     * @param version of the record when the copy was set aside, as it says; 0 when it does not say
     * @param silent whether its record is that of a handling that fell silent
     * @param tooOld whether the message is older than records are kept; of no account while one says what became of the message
     */
    static Judgement of(
            @Nullable MessageRecord record, boolean sameMessage, long version, boolean silent, boolean tooOld) {
        if (record == null && tooOld) {
            return tooOld("nothing is stored of it, or not long enough for a replay");
        }
        if (record == null) {
            return new Judgement(Verdict.RUN, "Nothing is stored of it, so it is handled as if it were new.");
        }
        if (!sameMessage && version > 0 && version < record.version()) {
            return new Judgement(
                    Verdict.SUPERSEDED,
                    "Another, newer body of its message is stored: it was edited since, or this edit was too late [sb-poison-version=%s, stored=%s]. It would come back: replay the other copy, or discard this one if that was handled."
                            .formatted(version, record.version()));
        }
        if (!sameMessage) {
            return new Judgement(
                    Verdict.CLASH,
                    "Another message with its id, of another type or body, is stored: it would come back.");
        }
        return switch (record.state()) {
            case COMPLETED ->
                new Judgement(
                        Verdict.RESEND, "It was handled, and its publications are not sent yet: they are sent now.");
            case DISPATCHED -> new Judgement(Verdict.DONE, "It was handled meanwhile: a replay does nothing.");
            case UNDONE -> new Judgement(Verdict.DONE, "It is a step that was undone: a replay does nothing.");
            case CLAIMED -> claimed(silent, tooOld);
            case RELEASED ->
                tooOld
                        ? tooOld("its steps may be forgotten, because no record says that it was set aside")
                        : new Judgement(Verdict.RUN, "It is handled, with the attempts that its record has left.");
            case POISONED -> poisoned(record, version);
        };
    }

    private static Judgement claimed(boolean silent, boolean tooOld) {
        if (!silent) {
            return new Judgement(
                    Verdict.BUSY,
                    "Another delivery of it is being handled, or has ended without writing down how: ask this instance again after safebunny.dedup.lease.");
        }
        return tooOld
                ? tooOld("its steps may be forgotten, because no record says that it was set aside")
                : new Judgement(
                        Verdict.RUN,
                        "Its handling ended without writing down how: it is handled once that claim is taken over, after another safebunny.dedup.lease.");
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
                        "It was set aside again since [sb-poison-version=%s, stored=%s]: replay the copy with the stored version. If there is none, its process ended before that copy was sent, and this is the only one: see docs/poison.md."
                                .formatted(version, record.version()));
    }
}

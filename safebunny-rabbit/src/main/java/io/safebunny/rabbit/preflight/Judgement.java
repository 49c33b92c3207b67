// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison found out about one exchange, queue or binding, or about the broker itself.
 *
 * @param findings what differs, each with what to do; also empty if the findings of another object tell it, such as those of the missing
 *     queue of a binding
 * @param depth of a queue; {@code null} if the broker has not told
 * @param isFault whether health and the log warn of the findings; otherwise the node works as well without what they advise
 */
public record Judgement(
        Mark mark, List<String> findings, @Nullable QueueDepth depth, boolean isFault) {

    /** Of what was not compared. */
    public static final Judgement UNKNOWN = of(Mark.UNKNOWN);

    static final Judgement AS_PLANNED = of(Mark.AS_PLANNED);

    public Judgement {
        findings = List.copyOf(findings);
    }

    static Judgement of(Mark mark, String... findings) {
        return new Judgement(mark, List.of(findings), null, true);
    }

    /** One that nobody is warned of. */
    static Judgement harmless(Mark mark, @Nullable QueueDepth depth, String... findings) {
        return new Judgement(mark, List.of(findings), depth, false);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.node.Node;
import io.safebunny.operations.questions.Heard.One;
import io.safebunny.operations.questions.Neighbours.Neighbour;
import io.safebunny.operations.questions.Questions.Round;
import io.safebunny.operations.questions.Questions.Told;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Adds to the replies of a round those that have not replied, and says of each why there is no answer. Thread-safe. */
final class Hearing {

    static final String BUSY = "busy with other questions: ask again";

    private final Node node;
    private final Sender self;
    private final Neighbours neighbours;

    Hearing(Node node, Sender self, Neighbours neighbours) {
        this.node = node;
        this.self = self;
        this.neighbours = neighbours;
    }

    /**
     * @param asked when, by the monotonic clock
     * @param expected nodes that should be there
     * @param unable what an instance does that does not know the question
     */
    <A> Heard<A> of(Round<A> round, long asked, Set<String> expected, String unable) {
        Instant now = node.timeline().now();
        List<One<A>> all = new ArrayList<>();
        Set<String> instances = new HashSet<>(Set.of(self.instance()));
        Set<String> missing = new HashSet<>(expected);
        for (Told<A> reply : round.replies()) {
            Sender from = reply.from();
            instances.add(from.instance());
            missing.remove(from.node());
            all.add(new One<>(from.node(), from.instance(), from.version(), now, note(reply, unable), reply.answer()));
        }
        for (Neighbour silent : neighbours.all()) {
            Sender who = silent.who();
            if (instances.add(who.instance())) {
                missing.remove(who.node());
                all.add(new One<>(
                        who.node(),
                        who.instance(),
                        who.version(),
                        silent.at(),
                        silence(silent, asked, round.problem()),
                        null));
            }
        }
        missing.forEach(name -> all.add(new One<>(name, "", "", null, neverHeard(round.problem()), null)));
        return new Heard<>(round.problem(), all);
    }

    private static @Nullable String note(Told<?> reply, String unable) {
        String refused = reply.refused();
        if (refused != null) {
            return switch (refused) {
                case Reply.NOBODY -> "answers nobody: safebunny.operations.answers=none is set there";
                case Reply.OWN_NODE -> "answers its own node only: safebunny.operations.answers=node is set there";
                case Reply.BUSY -> BUSY;
                case Reply.UNKNOWN -> unable;
                case Reply.SLOW -> "could not find its answer in time: its store may be slow or away. Ask again";
                case Questions.LEFT_OUT ->
                    "its answer is left out: all answers together are larger than %s MiB"
                            .formatted(Questions.MOST_BYTES >> 20);
                default -> "does not answer: " + refused;
            };
        }
        if (reply.v() != Question.VERSION) {
            return "speaks version %s of the questions, this instance version %s: something may be missing here"
                    .formatted(reply.v(), Question.VERSION);
        }
        return reply.answer() == null ? "its answer cannot be read" : null;
    }

    private String silence(Neighbour silent, long asked, @Nullable String problem) {
        if (problem != null) {
            return notAsked(problem);
        }
        if (silent.nanos() - asked > 0) {
            return "heard of since the others were asked: ask again";
        }
        return neighbours.isHeardLately(silent) && silent.who().node().equals(node.name())
                ? "its hints were heard lately, but it does not answer: it may have died since, have an older version, or a broker user that may not answer questions (docs/permissions.md)"
                : "has not answered within %s s: it may have stopped without a word, or is cut off from the broker"
                        .formatted(Questions.PATIENCE.toSeconds());
    }

    /** Why nobody is known of a node that should be there. */
    static String neverHeard(@Nullable String problem) {
        return problem != null
                ? notAsked(problem)
                : "not heard of within a day: it may not run, be on another broker or virtual host, have an older version, or a broker user that may not answer questions (docs/permissions.md)";
    }

    private static String notAsked(String problem) {
        return "not asked, or not heard: " + problem;
    }
}

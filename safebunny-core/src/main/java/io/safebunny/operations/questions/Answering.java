// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.node.Node;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.ControlChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers the questions of other instances on workers, those of one name one after the other, each when the reply before it is confirmed: a
 * slow or large answer keeps nobody from another one. A flood of questions, of whatever names, costs at most five answers a second, 256 KiB
 * of each name unless a single one is larger, and five replies that this instance is busy; the rest gets nothing. Of some names it is two
 * answers and two such replies. All who ask the same within a second get the same answer. Thread-safe.
 */
final class Answering {

    private static final Logger LOG = LoggerFactory.getLogger(Answering.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private static final int ANSWERS_PER_SECOND = 5;
    private static final int SOME_PER_SECOND = 2;
    private static final int REPLIES_PER_SECOND = 10;
    private static final int BYTES_PER_SECOND = 256 * 1024;

    /** How long those who ask the same get the same answer. */
    static final Duration SAME = Duration.ofSeconds(1);

    private static final long SECOND = SAME.toNanos();

    /** When the asker is told that there is no answer yet. It has to hear that before it gives up. */
    static final Duration SLOW = Questions.PATIENCE.minusMillis(400);

    private final Node node;
    private final Sender self;
    private final Timeline timeline;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final Lane unknown;

    // guarded by this, as is what waits in the lanes
    private long since;
    private int taken;
    private int toAnswer;

    private volatile ControlChannel control = ControlChannel.none();

    private static final class Asked {
        private final Question question;
        private final boolean tooMany;
        private final long at;
        private final AtomicBoolean isAnswered = new AtomicBoolean();
        private volatile @Nullable Cancellable slow;

        private Asked(Question question, boolean tooMany, long at) {
            this.question = question;
            this.tooMany = tooMany;
            this.at = at;
        }

        /** Whether nobody has replied before. */
        private boolean isToAnswer() {
            Cancellable timer = slow;
            if (timer != null) {
                timer.cancel();
            }
            return isAnswered.compareAndSet(false, true);
        }
    }

    Answering(Node node, Sender self) {
        this.node = node;
        this.self = self;
        this.timeline = node.timeline();
        this.since = timeline.nanoTime();
        this.unknown = new Lane(about -> true, ANSWERS_PER_SECOND, null);
    }

    void answers(String what, Answer answer) {
        answers(what, about -> true, answer);
    }

    /** @param concerns whether a question is about something that this instance is to answer; others are as if nobody had asked them */
    void answers(String what, Predicate<String> concerns, Answer answer) {
        lanes.put(what, new Lane(concerns, ANSWERS_PER_SECOND, answer));
    }

    /** The same, for questions that must leave some answers of each second to others. */
    void answersSome(String what, Predicate<String> concerns, Answer answer) {
        lanes.put(what, new Lane(concerns, SOME_PER_SECOND, answer));
    }

    void join(ControlChannel channel) {
        control = channel;
    }

    void stop() {
        unknown.replies.stop();
        lanes.values().forEach(lane -> lane.replies.stop());
    }

    /** Does not block. */
    void heard(Question question) {
        if (question.from().instance().equals(self.instance())) {
            return;
        }
        Lane lane = lanes.getOrDefault(question.what(), unknown);
        if (!lane.concerns.test(question.about())) {
            return;
        }
        Asked asked = taken(question, lane);
        if (asked != null) {
            asked.slow = timeline.schedule(Purpose.UPKEEP, SLOW, () -> tooSlow(asked));
            lane.replies.request();
        }
    }

    private synchronized @Nullable Asked taken(Question question, Lane lane) {
        long now = timeline.nanoTime();
        if (now - since >= SECOND) {
            since = now;
            taken = 0;
            toAnswer = 0;
            unknown.taken = 0;
            lanes.values().forEach(other -> other.taken = 0);
        }
        lane.waiting.removeIf(lane::isOver); // while an answer takes long, nobody takes them out
        if (taken >= REPLIES_PER_SECOND
                || lane.taken >= 2 * lane.perSecond
                || lane.waiting.size() >= REPLIES_PER_SECOND) {
            return null;
        }
        taken++;
        lane.taken++;
        boolean tooMany = toAnswer >= ANSWERS_PER_SECOND || lane.taken > lane.perSecond;
        toAnswer += tooMany ? 0 : 1;
        Asked asked = new Asked(question, tooMany, now);
        lane.waiting.add(asked);
        return asked;
    }

    private Duration age(Asked asked) {
        return Duration.ofNanos(timeline.nanoTime() - asked.at);
    }

    /** Neither blocks the timer nor waits for an answer that is being looked for. */
    private void tooSlow(Asked asked) {
        try {
            node.workers().execute(() -> {
                if (age(asked).compareTo(Questions.PATIENCE) <= 0 && asked.isToAnswer()) {
                    Question question = asked.question;
                    CompletableFuture<Void> unused = control.tell(
                            question.answerTo(),
                            Reply.refused(self, question.id(), Reply.SLOW).write(JSON));
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("Could not tell another instance that it has to ask again", e);
        }
    }

    private @Nullable String refusal(Asked asked, boolean isKnown) {
        Question question = asked.question;
        String refused =
                switch (node.options().answersTo()) {
                    case ALL -> null;
                    case NODE -> question.from().node().equals(self.node()) ? null : Reply.OWN_NODE;
                    case NONE -> Reply.NOBODY;
                };
        if (refused != null) {
            return refused;
        }
        if (!isKnown) {
            return Reply.UNKNOWN;
        }
        return asked.tooMany ? Reply.BUSY : null;
    }

    /** The questions of one name. */
    private final class Lane {
        private final Predicate<String> concerns;
        private final int perSecond;
        private final @Nullable Answer answer;
        private final SerialTask replies =
                new SerialTask("answering other instances", this::replyToNext, node.workers(), timeline);

        // guarded by the outer object
        private final Deque<Asked> waiting = new ArrayDeque<>();
        private int taken;
        private boolean isReplying;

        // used by the replying task only: by what was asked about
        private final Map<String, ObjectNode> latest = new HashMap<>();
        private long latestAt = timeline.nanoTime();
        private long bytesSince = latestAt;
        private int bytes;

        /** @param answer {@code null} for questions that this instance does not know */
        private Lane(Predicate<String> concerns, int perSecond, @Nullable Answer answer) {
            this.concerns = concerns;
            this.perSecond = perSecond;
            this.answer = answer;
        }

        private void replyToNext() {
            Asked asked = next();
            if (asked == null) {
                return;
            }
            try {
                byte[] reply = reply(asked);
                if (asked.isToAnswer()) {
                    CompletableFuture<Void> unused = control.tell(asked.question.answerTo(), reply)
                            .whenComplete((none, failure) -> replied(failure));
                } else {
                    replied(null);
                }
            } catch (Throwable e) { // an error, too: otherwise nobody would ever be answered again
                replied(e);
            }
        }

        /** The next question that somebody still waits for; {@code null} if there is none, or the last reply is on its way. */
        private @Nullable Asked next() {
            synchronized (Answering.this) {
                if (isReplying) {
                    return null;
                }
                Asked asked = waiting.poll();
                while (asked != null && isOver(asked)) {
                    asked = waiting.poll();
                }
                isReplying = asked != null;
                return asked;
            }
        }

        private boolean isOver(Asked asked) {
            return asked.isAnswered.get() || age(asked).compareTo(Questions.PATIENCE) > 0;
        }

        private void replied(@Nullable Throwable failure) {
            if (failure != null) {
                LOG.debug("Could not answer another instance", failure);
            }
            synchronized (Answering.this) {
                isReplying = false;
            }
            replies.request();
        }

        /** Whether the answers of a second leave room for one more; the first one always has room. */
        private boolean hasRoom(int length) {
            long now = timeline.nanoTime();
            if (now - bytesSince >= SECOND) {
                bytesSince = now;
                bytes = 0;
            }
            if (bytes != 0 && bytes + length > BYTES_PER_SECOND) {
                return false;
            }
            bytes += length;
            return true;
        }

        private byte[] reply(Asked asked) {
            Question question = asked.question;
            Answer known = answer;
            String refusal = refusal(asked, known != null);
            if (known == null || refusal != null) {
                return Reply.refused(self, question.id(), String.valueOf(refusal))
                        .write(JSON);
            }
            try {
                byte[] reply = Reply.answered(self, question.id(), answer(known, asked))
                        .write(JSON);
                return hasRoom(reply.length)
                        ? reply
                        : Reply.refused(self, question.id(), Reply.BUSY).write(JSON);
            } catch (RuntimeException e) {
                LOG.debug(
                        "Could not find the answer to '{}'",
                        question.what(),
                        node.log().tellable(e));
                return Reply.refused(self, question.id(), "failed").write(JSON);
            }
        }

        private ObjectNode answer(Answer known, Asked asked) {
            long now = timeline.nanoTime();
            if (now - latestAt >= SECOND) {
                latestAt = now;
                latest.clear();
            }
            String about = asked.question.about();
            ObjectNode shared = latest.get(about);
            if (shared == null) {
                Duration left = SLOW.minus(age(asked));
                shared = known.to(about, left.isNegative() ? Duration.ZERO : left);
                if (latest.isEmpty()) {
                    latestAt = timeline.nanoTime(); // finding it may have taken a second itself
                }
                latest.put(about, shared);
            }
            return shared;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.node.Node;
import io.safebunny.time.Timeline;
import io.safebunny.transport.ControlChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers the questions of other instances on a worker, each when the reply before it is confirmed. A flood of questions costs at most five
 * answers a second, 256 KiB of them unless a single one is larger, and five replies that this instance is busy; the rest gets nothing. All
 * who ask within a second get the same answer. Thread-safe.
 */
final class Answering {

    private static final Logger LOG = LoggerFactory.getLogger(Answering.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private static final int ANSWERS_PER_SECOND = 5;
    private static final int REPLIES_PER_SECOND = 10;
    private static final int BYTES_PER_SECOND = 256 * 1024;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Node node;
    private final Sender self;
    private final Map<String, Supplier<ObjectNode>> answers;
    private final Timeline timeline;
    private final SerialTask replies;

    // guarded by this
    private final Deque<Asked> waiting = new ArrayDeque<>();
    private long since;
    private int taken;
    private boolean isReplying;

    // used by the replying task only
    private final Map<String, ObjectNode> latest = new HashMap<>();
    private long latestAt;
    private int bytes;

    private volatile ControlChannel control = ControlChannel.none();

    private record Asked(Question question, boolean tooMany, long at) {}

    /** @param answers by the name of the question; each is a new object */
    Answering(Node node, Sender self, Map<String, Supplier<ObjectNode>> answers) {
        this.node = node;
        this.self = self;
        this.answers = Map.copyOf(answers);
        this.timeline = node.timeline();
        this.since = timeline.nanoTime();
        this.latestAt = since;
        this.replies = new SerialTask("answering other instances", this::replyToNext, node.workers(), timeline);
    }

    void join(ControlChannel channel) {
        control = channel;
    }

    void stop() {
        replies.stop();
    }

    /** Does not block. */
    void heard(Question question) {
        if (!question.from().instance().equals(self.instance()) && isTaken(question)) {
            replies.request();
        }
    }

    private synchronized boolean isTaken(Question question) {
        long now = timeline.nanoTime();
        if (now - since >= SECOND) {
            since = now;
            taken = 0;
        }
        if (taken >= REPLIES_PER_SECOND || waiting.size() >= REPLIES_PER_SECOND) {
            return false;
        }
        taken++;
        waiting.add(new Asked(question, taken > ANSWERS_PER_SECOND, now));
        return true;
    }

    /** The next question that somebody still waits for; {@code null} if there is none, or the last reply is on its way. */
    private synchronized @Nullable Asked next() {
        if (isReplying) {
            return null;
        }
        long now = timeline.nanoTime();
        Asked asked = waiting.poll();
        while (asked != null && now - asked.at() > Questions.PATIENCE.toNanos()) {
            asked = waiting.poll();
        }
        isReplying = asked != null;
        return asked;
    }

    private void replyToNext() {
        Asked asked = next();
        if (asked == null) {
            return;
        }
        try {
            CompletableFuture<Void> unused = control.tell(asked.question().answerTo(), reply(asked))
                    .whenComplete((none, failure) -> replied(failure));
        } catch (Throwable e) { // an error, too: otherwise nobody would ever be answered again
            replied(e);
        }
    }

    private void replied(@Nullable Throwable failure) {
        if (failure != null) {
            LOG.debug("Could not answer another instance", failure);
        }
        synchronized (this) {
            isReplying = false;
        }
        replies.request();
    }

    private byte[] reply(Asked asked) {
        Question question = asked.question();
        String refusal = refusal(asked);
        if (refusal != null) {
            return Reply.refused(self, question.id(), refusal).write(JSON);
        }
        try {
            byte[] reply =
                    Reply.answered(self, question.id(), answer(question.what())).write(JSON);
            if (bytes == 0 || bytes + reply.length <= BYTES_PER_SECOND) {
                bytes += reply.length;
                return reply;
            }
            return Reply.refused(self, question.id(), Reply.BUSY).write(JSON);
        } catch (RuntimeException e) {
            LOG.debug(
                    "Could not find the answer to '{}'",
                    question.what(),
                    node.log().tellable(e));
            return Reply.refused(self, question.id(), "failed").write(JSON);
        }
    }

    private ObjectNode answer(String what) {
        long now = timeline.nanoTime();
        if (now - latestAt >= SECOND) {
            latestAt = now;
            latest.clear();
            bytes = 0;
        }
        ObjectNode known = latest.get(what);
        ObjectNode answer = known == null
                ? answers.getOrDefault(what, JSON::createObjectNode).get()
                : known;
        latest.put(what, answer);
        return answer;
    }

    private @Nullable String refusal(Asked asked) {
        Question question = asked.question();
        String refused =
                switch (node.options().answersTo()) {
                    case ALL -> null;
                    case NODE -> question.from().node().equals(self.node()) ? null : Reply.OWN_NODE;
                    case NONE -> Reply.NOBODY;
                };
        if (refused != null) {
            return refused;
        }
        if (!answers.containsKey(question.what())) {
            return "unknown";
        }
        return asked.tooMany() ? Reply.BUSY : null;
    }
}

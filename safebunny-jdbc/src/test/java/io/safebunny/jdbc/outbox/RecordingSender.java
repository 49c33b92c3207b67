// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** A broker that records what it is sent. */
final class RecordingSender implements Function<OutboundMessage, CompletableFuture<Void>> {

    private final List<OutboundMessage> messages = new ArrayList<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
    private final Map<OutboundMessage, CompletableFuture<Void>> waiting = new ConcurrentHashMap<>();
    private final Executor answers;
    private volatile boolean silent;

    /** @param answers the executor that runs the confirms */
    RecordingSender(Executor answers) {
        this.answers = answers;
    }

    /** Confirms at once. */
    RecordingSender() {
        this(Runnable::run);
    }

    @Override
    public CompletableFuture<Void> apply(OutboundMessage message) {
        if (refused.contains(String.valueOf(message.message().correlationId()))
                || refused.contains(String.valueOf(message.message().messageId()))
                || refused.contains(message.route().routingKey())) {
            return CompletableFuture.failedFuture(new IllegalStateException("refused"));
        }
        synchronized (messages) {
            messages.add(message);
        }
        CompletableFuture<Void> answer = new CompletableFuture<>();
        if (unanswered.contains(message.route().routingKey())) {
            waiting.put(message, answer);
        } else if (!silent) {
            answers.execute(() -> answer.complete(null));
        }
        return answer;
    }

    void refuse(String correlationOrMessageIdOrRoutingKey) {
        refused.add(correlationOrMessageIdOrRoutingKey);
    }

    /** Takes messages with this routing key and does not confirm. */
    void leaveUnanswered(String routingKey) {
        unanswered.add(routingKey);
    }

    /** Confirms what was left unanswered, too. */
    void acceptAll() {
        refused.clear();
        unanswered.clear();
        waiting.values().forEach(answer -> answer.complete(null));
    }

    /** Takes messages and never confirms. */
    RecordingSender silent() {
        silent = true;
        return this;
    }

    List<OutboundMessage> messages() {
        synchronized (messages) {
            return List.copyOf(messages);
        }
    }

    List<String> ids() {
        return ids(messages());
    }

    /** Ids of one correlation's messages, without repeats. */
    List<String> firstOf(String correlationId) {
        return ids(messages().stream()
                        .filter(message ->
                                correlationId.equals(message.message().correlationId()))
                        .toList())
                .stream()
                .distinct()
                .toList();
    }

    private static List<String> ids(Collection<OutboundMessage> some) {
        return some.stream()
                .map(message -> String.valueOf(message.message().messageId()))
                .toList();
    }
}

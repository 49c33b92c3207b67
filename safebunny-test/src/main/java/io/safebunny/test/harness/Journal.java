// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.test.harness.Happening.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Records what happens to the messages of a test, in order. Thread-safe. */
public final class Journal {

    private static final int LATEST = 20;
    private static final int LONGEST_TEXT = 300;

    private final Supplier<Instant> now;

    // all guarded by this
    private final List<Happening> happenings = new ArrayList<>();
    private final Map<String, Throwable> failures = new HashMap<>();
    private final Map<String, Integer> attempts = new HashMap<>();
    private final Map<String, WireMessage> beingHandled = new LinkedHashMap<>();
    private Instant since;

    public Journal(Supplier<Instant> now) {
        this.now = now;
        this.since = now.get();
    }

    /** Forgets everything and starts over. */
    public synchronized void clear() {
        happenings.clear();
        failures.clear();
        attempts.clear();
        since = now.get();
    }

    /** When recording began. */
    public synchronized Instant since() {
        return since;
    }

    public synchronized List<Happening> happenings() {
        return List.copyOf(happenings);
    }

    /** @param due when the message arrives; {@code null} if it does not wait */
    synchronized void add(String node, WireMessage message, Kind kind, String detail, @Nullable Instant due) {
        happenings.add(new Happening(
                now.get(),
                node,
                printable(message.correlationId()),
                printable(message.messageId()),
                printable(message.type()),
                kind,
                detail,
                due));
    }

    synchronized void add(Happening happening) {
        happenings.add(happening);
    }

    Instant now() {
        return now.get();
    }

    synchronized void begins(String node, WireMessage message) {
        beingHandled.put(key(node, message.messageId()), message);
        attempts.put(key(node, message.messageId()), attemptOf(message));
    }

    synchronized void ends(String node, WireMessage message) {
        beingHandled.remove(key(node, message.messageId()));
    }

    synchronized void failed(String node, String messageId, Throwable failure) {
        failures.put(key(node, messageId), failure);
    }

    /** Whether this copy is a delayed retry, which uses up an attempt. */
    synchronized boolean isRetry(String node, WireMessage copy) {
        return attemptOf(copy) > attempts.getOrDefault(key(node, copy.messageId()), 0);
    }

    /** Why the message's handler failed last; empty if it did not fail. */
    synchronized String reasonOf(String node, WireMessage message) {
        Throwable failure = failures.get(key(node, message.messageId()));
        return failure == null ? "" : text(failure);
    }

    /** Describes what is still running, for a run that does not end. */
    public synchronized String describe() {
        String handled = beingHandled.values().stream()
                .map(message -> "%n  being handled: %s %s".formatted(message.type(), message.messageId()))
                .collect(Collectors.joining());
        Map<String, Long> counts = happenings.stream()
                .collect(Collectors.groupingBy(
                        happening -> "%s %s by %s"
                                .formatted(
                                        happening.kind().toString().toLowerCase(java.util.Locale.ROOT),
                                        happening.type(),
                                        happening.node()),
                        LinkedHashMap::new,
                        Collectors.counting()));
        return "%s%n  so far: %s%n  latest:%n%s".formatted(handled, counts, lines(latest(), since));
    }

    private List<Happening> latest() {
        return happenings.subList(Math.max(0, happenings.size() - LATEST), happenings.size());
    }

    /** The events, one line each. */
    public static String lines(List<Happening> happenings, Instant since) {
        return happenings.stream()
                .map(happening -> "  " + happening.line(since))
                .collect(Collectors.joining(System.lineSeparator()));
    }

    static String text(Throwable failure) {
        return Names.printable(failure.toString(), LONGEST_TEXT);
    }

    static String in(Duration delay) {
        return delay.isZero() ? "at once" : "in " + Happening.text(delay);
    }

    private static String key(String node, @Nullable String messageId) {
        return node + ' ' + messageId;
    }

    private static int attemptOf(WireMessage message) {
        return message.headers().get(Headers.ATTEMPT) instanceof Number number ? number.intValue() : 0;
    }

    private static String printable(@Nullable String text) {
        return text == null ? "" : Names.printable(text);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.database.CosmosUpstream.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Simulates a lagging replica, which returns each document as it was some time ago. Thread-safe. */
final class LaggingReplica {

    private record Version(long since, Answer answer) {}

    private final long behind;
    private final Map<String, List<Version>> documents = new HashMap<>();

    LaggingReplica(Duration behind) {
        this.behind = behind.toNanos();
    }

    /** Call before the document's first write, with the old content. Not needed before later writes. */
    synchronized void was(String document, Answer answer) {
        documents
                .computeIfAbsent(document, path -> new ArrayList<>())
                .add(new Version(System.nanoTime() - behind, answer));
    }

    synchronized boolean knows(String document) {
        return documents.containsKey(document);
    }

    /** Call after a write, with the new content. */
    synchronized void is(String document, Answer answer) {
        documents.computeIfAbsent(document, path -> new ArrayList<>()).add(new Version(System.nanoTime(), answer));
    }

    /** @param fresh current content; returned for a document that has not been written */
    synchronized Answer read(String document, Answer fresh) {
        List<Version> versions = documents.getOrDefault(document, List.of());
        long then = System.nanoTime() - behind;
        Answer seen = fresh;
        for (Version version : versions) {
            if (version.since - then <= 0) {
                seen = version.answer;
            }
        }
        return seen;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident.writing;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a test does to repeat an incident. Immutable.
 *
 * @param name after which the test's class is named
 * @param home package of the test; empty if it is not known
 * @param node whose code is tested
 * @param saga {@code null} if the test is of a plain handler
 * @param delivered {@code null} if no message is delivered
 * @param advance how much time passes in the end
 * @param comment what production saw, in paragraphs
 */
public record Reproduction(
        Name name,
        String home,
        String node,
        @Nullable Subject saga,
        @Nullable Delivered delivered,
        Duration advance,
        Expectation expectation,
        List<String> comment) {

    public Reproduction {
        comment = List.copyOf(comment);
    }

    /**
     * The name of an incident: no two incidents have the same, and one keeps it.
     *
     * @param subject the saga or message type
     * @param identity what tells it from other incidents of the subject: what kind of incident it is, and ids. No content that a masker
     *     hides: short hashes of it can be guessed
     */
    public record Name(String subject, List<String> identity) {

        public Name {
            identity = List.copyOf(identity);
        }
    }

    /**
     * The saga of the test.
     *
     * @param stored as the test begins with it; {@code null} if the message is to start it
     * @param construction expression that a {@code SagaScenario} is made of; {@code null} if only the application can make the saga
     */
    public record Subject(
            String name,
            String id,
            @Nullable String stored,
            @Nullable String construction) {}

    /**
     * A message as the test delivers it.
     *
     * @param version of the body, from 1
     */
    public record Delivered(String from, String type, int version, String body, String correlationId) {}

    /** What the test demands. */
    public enum Expectation {
        /** No message is set aside. */
        NOTHING_SET_ASIDE,
        /** The saga does not fail. */
        NOT_FAILED,
        /** The saga does not go on waiting. */
        ENDED
    }
}

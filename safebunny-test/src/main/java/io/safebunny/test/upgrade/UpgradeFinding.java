// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

/**
 * Something that breaks with the new version. Immutable.
 *
 * @param subject a type of messages or a saga; with a dot behind it, a property, or a timeout
 * @param problem what breaks, in sentences
 * @param action what to do, in sentences
 */
public record UpgradeFinding(Kind kind, String subject, String problem, String action) {

    /** What becomes of stored messages and sagas. */
    public enum Kind {
        /** No message and no state was read: the sample has none, or none of which the new version has the class. */
        NOTHING_CHECKED,
        /** Nobody handles the type any more: its messages stay in their queue. */
        UNHANDLED_TYPE,
        /** The class does not read the body: the message is poison. */
        UNREADABLE_BODY,
        /** The handler takes only {@code @Valid} payloads, or the id of its saga is not in it: the message is poison. */
        INVALID_BODY,
        /** Nothing reads a property that the old version reads: its value is lost, and nobody is told. */
        LOST_PROPERTY,
        /** The version is lower than a stored one: the message or saga waits for ever. */
        LOWER_VERSION,
        /** There is no upcaster from a version: the application does not start. */
        MISSING_UPCASTER,
        /** An upcaster fails: the message is poison. */
        FAILING_UPCASTER,
        /** The class does not read the state: messages to the saga wait for ever. */
        UNREADABLE_STATE,
        /** There is no upgrade from the version of a stored state: it is read as if it were of the present version. */
        MISSING_UPGRADE,
        /** An upgrade fails: the saga becomes stuck. */
        FAILING_UPGRADE,
        /** The class of running sagas is gone: they stay as they are, and nobody looks after them. */
        MISSING_SAGA,
        /** There is no method for a timeout that may be set: the saga becomes stuck when it is over. */
        MISSING_TIMEOUT,
        /** The saga no longer takes a message with which it goes on, such as the answer to a step: it waits for ever. */
        MISSING_ANSWER,
        /** What the new version writes, the old one does not read as before: while both run, and at other nodes. */
        UNREADABLE_FOR_OLD
    }

    @Override
    public String toString() {
        return "%s %s: %s %s".formatted(kind, subject, problem, action);
    }
}

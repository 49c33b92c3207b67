// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.ledger;

/**
 * One line of the ledger. Immutable.
 *
 * @param process the process that wrote it
 * @param subject the id of an order, or the name of a point
 * @param detail depends on the kind; without tabs and line breaks
 */
public record Entry(Kind kind, String process, String subject, String detail) {

    /** What happened. */
    public enum Kind {
        /** The process is ready and waits for the go. */
        READY,
        /** It is consuming; the detail is how to reach its store, where that is not known beforehand. */
        STARTED,
        /** An order was delivered to it; the detail is the message id. */
        DELIVERED,
        /** Its handler began; the detail is the attempt. */
        HANDLING,
        /** The effect of the step, outside anything that can be rolled back; the detail is its result. */
        CHARGED,
        /** It has reached the point of its planned fault. */
        REACHED,
        /** The transaction in which an order was placed is over. */
        PLACED,
        /** From now on a person may decide on what holds others. */
        DECIDED,
        /** A replay of it ended; the detail says how. */
        REPLAYED,
        /** The last node of the saga handled a publication; the detail is its type. */
        FINISHED
    }

    String toLine() {
        return String.join("\t", kind.name(), process, subject, detail);
    }

    static Entry parse(String line) {
        String[] fields = line.split("\t", -1);
        return new Entry(Kind.valueOf(fields[0]), fields[1], fields[2], fields[3]);
    }
}

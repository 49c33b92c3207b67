// SPDX-License-Identifier: Apache-2.0
package io.safebunny.keys;

/** Where encrypted bodies may lie. */
public enum Place {
    POISON("poison queue"),
    ARCHIVE("poison archive"),
    RECORDS("records"),
    STEPS("results of once"),
    ORDER("messages in order"),
    SAGAS("sagas"),
    SCHEDULED("scheduled messages"),
    OTHERS("other records"),
    OUTBOX("outbox"),
    PERSONS("keys of persons"),
    QUEUES("queues"),
    THIS_INSTANCE("what this instance encrypts");

    private final String words;

    Place(String words) {
        this.words = words;
    }

    /** As people call it. */
    public String words() {
        return words;
    }
}

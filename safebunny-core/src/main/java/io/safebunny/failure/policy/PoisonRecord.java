// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

/**
 * What the record says about a message that is set aside.
 *
 * @param version the version with which its poison copy can be replayed; 0 if the record does not say that it is set aside
 * @param by who set the message aside
 */
public record PoisonRecord(long version, By by) {

    public static final PoisonRecord NONE = new PoisonRecord(0, By.THIS_DELIVERY);

    /** Who set a message aside; this decides who is notified. */
    public enum By {
        THIS_DELIVERY,
        /** An earlier delivery: this one only adds a copy, and everybody has been notified already. */
        ANOTHER_DELIVERY,
        /** The message has been edited, and was or is being handled, so sagas that wait for it are not notified. */
        ITS_EDITOR
    }

    /** Combines this with what was learnt later. */
    public PoisonRecord and(PoisonRecord later) {
        return new PoisonRecord(
                later.version == 0 ? version : later.version, by.compareTo(later.by) > 0 ? by : later.by);
    }

    public boolean isStored() {
        return version != 0;
    }
}

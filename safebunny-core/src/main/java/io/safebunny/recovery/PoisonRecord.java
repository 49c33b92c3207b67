// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

/**
 * What is stored of a message that is set aside.
 *
 * @param version under which its poison copy can be replayed; 0 when the record does not say that this message is set aside
 * @param by who has set it aside
 */
public record PoisonRecord(long version, By by) {

    public static final PoisonRecord NONE = new PoisonRecord(0, By.THIS_DELIVERY);

    /** Who has set a message aside, which decides who is told. */
    public enum By {
        THIS_DELIVERY,
        /** This delivery only adds a copy of it: its end was told before. */
        ANOTHER_DELIVERY,
        /** It was edited since, and handled or is being handled: sagas that wait for it are not told either. */
        ITS_EDITOR
    }

    /** What is known when this is learnt, too. */
    public PoisonRecord and(PoisonRecord later) {
        return new PoisonRecord(
                later.version == 0 ? version : later.version, by.compareTo(later.by) > 0 ? by : later.by);
    }

    public boolean isStored() {
        return version != 0;
    }
}

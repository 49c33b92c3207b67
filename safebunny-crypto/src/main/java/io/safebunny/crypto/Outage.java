// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.KeysUnavailableException;

/**
 * That a key service did not answer.
 *
 * @param at when, of {@link io.safebunny.time.Timeline#nanoTime}
 */
record Outage(KeysUnavailableException why, long at) {

    /** To be thrown without having asked again. */
    KeysUnavailableException again() {
        return new KeysUnavailableException(why.messageWithoutCode(), why);
    }
}

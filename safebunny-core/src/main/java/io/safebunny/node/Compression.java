// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

/**
 * Which bodies of a node's publications are compressed. Immutable.
 *
 * @param above size in bytes of the largest body that is not compressed
 * @param ofHidden also bodies whose content another codec hides, whose length then tells of it
 */
public record Compression(long above, boolean ofHidden) {

    /** No bodies, unless the encoding of publications names gzip. */
    public static final Compression NONE = new Compression(Long.MAX_VALUE, false);

    /** Whether any bodies are compressed. */
    boolean isOn() {
        return above < Long.MAX_VALUE;
    }
}

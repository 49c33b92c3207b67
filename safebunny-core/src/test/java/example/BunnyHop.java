// SPDX-License-Identifier: Apache-2.0
package example;

import io.safebunny.BunnyMessage;

/** A message of an application, with a name that is reserved for the library. */
public record BunnyHop(String id) {

    /** Another one. */
    @BunnyMessage("BunnyUndone")
    public record Forged(String id) {}

    /** Not reserved: only types that begin so are. */
    @BunnyMessage("bunnyHop")
    public record Fine(String id) {}
}

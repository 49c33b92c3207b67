// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.poison.replay.PoisonReader.Copy;
import io.safebunny.transport.OutboundMessage;
import org.jspecify.annotations.Nullable;

/** What an operation does with the copies that match. Confined to one thread. */
interface CopyRule {

    /** Where the copy goes; {@code null} when it stays where it is, for the reason that its verdict gives. */
    @Nullable
    OutboundMessage of(Copy copy);

    /** The copy is where it should go, and gone from where it was; or would be, in a dry run. */
    default void moved(Copy copy) {}
}

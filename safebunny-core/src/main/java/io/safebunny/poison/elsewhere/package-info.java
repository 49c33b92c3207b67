// SPDX-License-Identifier: Apache-2.0
/**
 * What the instances of a node tell each other of their operations on poison messages, and how many messages are set aside although some of
 * them hold copies. What another instance says is shown, and never acted upon.
 */
@NullMarked
package io.safebunny.poison.elsewhere;

import org.jspecify.annotations.NullMarked;

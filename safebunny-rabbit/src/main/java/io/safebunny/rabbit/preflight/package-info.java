// SPDX-License-Identifier: Apache-2.0
/** Looks at how the queues of a node are on the broker, after policies, and says what will lose or hold up messages. Reads only. */
@NullMarked
package io.safebunny.rabbit.preflight;

import org.jspecify.annotations.NullMarked;

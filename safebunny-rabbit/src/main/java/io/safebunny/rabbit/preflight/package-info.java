// SPDX-License-Identifier: Apache-2.0
/** Checks a node's queues on the broker, policies included, for anything that will lose or delay messages. Changes nothing. */
@NullMarked
package io.safebunny.rabbit.preflight;

import org.jspecify.annotations.NullMarked;

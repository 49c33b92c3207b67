// SPDX-License-Identifier: Apache-2.0
/** Processes that replay the poison queue of one node together, of which some are killed in the middle of a message. */
@NullMarked
package io.safebunny.proof.replay;

import org.jspecify.annotations.NullMarked;

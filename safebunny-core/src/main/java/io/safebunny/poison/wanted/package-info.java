// SPDX-License-Identifier: Apache-2.0
/**
 * Whether a saga still wants the command or the undo of a step, which may have been set aside at another node than its own. Nothing here
 * changes anything: who is asked and does not answer leaves the question open.
 */
@NullMarked
package io.safebunny.poison.wanted;

import org.jspecify.annotations.NullMarked;

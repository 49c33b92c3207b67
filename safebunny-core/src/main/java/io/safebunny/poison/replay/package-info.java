// SPDX-License-Identifier: Apache-2.0
/** Looks into the node's poison queue, judges by the stored records what a replay would do, and moves messages back or to the archive, each confirmed. */
@NullMarked
package io.safebunny.poison.replay;

import org.jspecify.annotations.NullMarked;

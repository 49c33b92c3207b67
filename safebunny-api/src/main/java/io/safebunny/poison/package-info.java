// SPDX-License-Identifier: Apache-2.0
/** Inspecting and replaying messages that were set aside, for applications and operators' tools. */
@NullMarked
package io.safebunny.poison;

import org.jspecify.annotations.NullMarked;

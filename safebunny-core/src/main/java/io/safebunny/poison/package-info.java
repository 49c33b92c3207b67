// SPDX-License-Identifier: Apache-2.0
/** Looking at messages that were set aside, and replaying them, as an application or an operator's tool asks for it. */
@NullMarked
package io.safebunny.poison;

import org.jspecify.annotations.NullMarked;

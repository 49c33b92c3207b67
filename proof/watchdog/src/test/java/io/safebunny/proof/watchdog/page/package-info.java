// SPDX-License-Identifier: Apache-2.0
/** The page, as a person reads and uses it. */
@NullMarked
package io.safebunny.proof.watchdog.page;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** One version of an application, and changes that break what it has stored. */
@NullMarked
package io.safebunny.autoconfigure.upgrade;

import org.jspecify.annotations.NullMarked;

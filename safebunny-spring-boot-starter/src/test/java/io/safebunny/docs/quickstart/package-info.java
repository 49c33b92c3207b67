// SPDX-License-Identifier: Apache-2.0
/** The application of the README, as it stands there. */
@NullMarked
package io.safebunny.docs.quickstart;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** The endpoint {@code safebunnypoison}: shows what the node has set aside, and passes operations on it on. */
@NullMarked
package io.safebunny.autoconfigure.actuate.poison;

import org.jspecify.annotations.NullMarked;

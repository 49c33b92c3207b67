// SPDX-License-Identifier: Apache-2.0
/** Instances of one node of neighbouring versions side by side, as in each rolling upgrade. */
@NullMarked
package io.safebunny.rabbit.versions;

import org.jspecify.annotations.NullMarked;

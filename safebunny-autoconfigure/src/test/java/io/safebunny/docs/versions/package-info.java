// SPDX-License-Identifier: Apache-2.0
/** The listings of docs/versions.md, compiled and run. */
@NullMarked
package io.safebunny.docs.versions;

import org.jspecify.annotations.NullMarked;

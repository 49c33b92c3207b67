// SPDX-License-Identifier: Apache-2.0
/** What a node is made of: its settings and parts, the value that its components share, and how features plug in. */
@NullMarked
package io.safebunny.node;

import org.jspecify.annotations.NullMarked;

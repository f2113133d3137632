// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A token of the tests, which behaves as `mode` says; `token.ts` has its bytecode.
contract TestToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    enum Mode { Normal, ReturnsFalse, TakesFee, Paused }
    /// The issuer whose functions the token has. Without one, nobody can read what it blocks.
    enum Issuer { None, Circle, Tether, Paxos }

    uint8 public immutable decimals;
    Mode public mode;
    Issuer public issuer;
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public blocked;

    constructor(uint8 decimals_, address owner, uint256 supply) {
        decimals = decimals_;
        balanceOf[owner] = supply;
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function setIssuer(Issuer issuer_) external {
        issuer = issuer_;
    }

    function blockAccount(address account) external {
        blocked[account] = true;
    }

    function paused() external view returns (bool) {
        require(issuer != Issuer.None);
        return mode == Mode.Paused;
    }

    function isBlacklisted(address account) external view returns (bool) {
        require(issuer == Issuer.Circle);
        return blocked[account];
    }

    function isBlackListed(address account) external view returns (bool) {
        require(issuer == Issuer.Tether);
        return blocked[account];
    }

    function isFrozen(address account) external view returns (bool) {
        require(issuer == Issuer.Paxos);
        return blocked[account];
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (mode == Mode.ReturnsFalse) return false;
        require(mode != Mode.Paused, "paused");
        require(!blocked[to] && !blocked[msg.sender], "blocked");
        balanceOf[msg.sender] -= value;
        uint256 received = mode == Mode.TakesFee ? value - value / 100 : value;
        balanceOf[to] += received;
        emit Transfer(msg.sender, to, received);
        return true;
    }
}
